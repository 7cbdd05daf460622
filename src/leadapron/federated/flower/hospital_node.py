"""A hospital of a deployment: Flower's SuperNode, kept going until the federation has finished."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from pathlib import Path

from leadapron.engine.ours import claim
from leadapron.errors import ConfigError, LeadapronError
from leadapron.federated.federation_folder import read_card
from leadapron.federated.flower.deployment_jobs import HospitalJob
from leadapron.federated.flower.flower_process import FINISHED, FOREIGN, LOG, SAID, flower_process, need_flower, written

POLL, PAUSE, GRACE = 0.2, 2.0, 3.0
UNKNOWN_KEY, CONNECTED = "[code: 2004]", "SuperNode ID:"
"""How Flower says that no SuperNode has this key, and that this one is connected."""


def run_hospital(job: HospitalJob, keys: Path, host: str, port: int, say: Callable[[str], None]) -> None:
    """Answer the server until it says that the federation has finished; a server that starts anew is waited for."""
    need_flower("cryptography")
    from leadapron.federated.flower.node_keys import AUTHORITY, PRIVATE, PUBLIC, check_files

    place = read_card(job.folder).place
    check_files(keys, AUTHORITY, f"{place}{PRIVATE}")
    authority, key = keys / AUTHORITY, keys / f"{place}{PRIVATE}"
    heard: list[str] = []

    def hear(line: str) -> None:
        heard.append(line)
        if line.startswith(SAID):
            say(line.removeprefix(SAID))
        elif CONNECTED in line:
            say(f"connected to the server at {written(host, port)}")

    while not _is_finished(heard):
        heard.clear()
        _wait_for_server(host, port, authority, say)
        arguments = [
            *("--superlink", written(host, port), "--root-certificates", str(authority)),
            *("--auth-supernode-private-key", str(key)),
            *("--host", "127.0.0.1", "--port", str(_free_port())),
        ]
        claim(job.folder, LOG)
        with flower_process("guarded_supernode", arguments, job.folder / LOG, told=job.told(), heard=hear) as supernode:
            while supernode.poll() is None and not _is_finished(heard):
                time.sleep(POLL)
            time.sleep(GRACE)  # the last answer is on its way
        if any(UNKNOWN_KEY in line for line in heard):
            raise ConfigError(
                "the server does not know this hospital's key",
                where=key,
                fix=f"Give {place}{PUBLIC} to those who run the server, and start again.",
            )
        if any(line.startswith(SAID + FOREIGN) for line in heard):
            raise LeadapronError(FOREIGN, fix="Install the version of leadapron that the server runs.")


def _is_finished(heard: list[str]) -> bool:
    return any(line.startswith(SAID + FINISHED) for line in heard)


def _wait_for_server(host: str, port: int, authority: Path, say: Callable[[str], None]) -> None:
    """Until a server answers there whose certificate is signed by the authority that the hospital was given."""
    trusted = ssl.create_default_context(cafile=authority)
    server, told = written(host, port), False
    while True:
        try:
            with socket.create_connection((host, port), timeout=PAUSE) as line:
                trusted.wrap_socket(line, server_hostname=host).close()
            return
        except ssl.SSLCertVerificationError as error:
            raise ConfigError(
                f"the server at {server} is not the one that this certificate is for ({error.verify_message})",
                where=authority,
                fix="Get ca.pem anew from those who run the server.",
            ) from error
        except OSError:
            if not told:
                say(f"waiting for the server at {server}")
            told = True
            time.sleep(PAUSE)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
