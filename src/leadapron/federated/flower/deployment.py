"""The server of a deployment: Flower's SuperLink behind TLS, the keys of the hospitals, and the run."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leadapron.engine.ours import claim
from leadapron.errors import ConfigError, LeadapronError
from leadapron.federated.federation_folder import read_admitted
from leadapron.federated.flower.deployment_jobs import ServerJob
from leadapron.federated.flower.flower_process import LOG, flower_process, need_flower, written
from leadapron.federated.run_card import Run, read_run

POLL = 0.5
GO_ON = "Run the same command again: it goes on."


def run_server(
    job: ServerJob, keys: Path, host: str, port: int, *, say: Callable[[str], None], watch: Callable[[], None]
) -> Run:
    """All rounds that are left, with the hospitals whose public keys lie in ``keys``; ``watch`` is called meanwhile."""
    need_flower("cryptography")
    from leadapron.federated.flower.node_keys import AUTHORITY, CERTIFICATE, SERVER_KEY, check_files, read_public_keys

    check_files(keys, AUTHORITY, CERTIFICATE, SERVER_KEY)
    members = [member.name for member in read_admitted(job.folder).members]
    hospitals = read_public_keys(keys, members)
    check_port(host, port)
    claim(job.folder, LOG)
    log = job.folder / LOG
    arguments = [
        *("--host", host, "--port", str(port)),
        *("--ssl-ca-certfile", str(keys / AUTHORITY)),
        *("--ssl-certfile", str(keys / CERTIFICATE)),
        *("--ssl-keyfile", str(keys / SERVER_KEY)),
        *("--enable-supernode-auth", "--disable-runtime-dependency-installation"),
    ]
    with flower_process("guarded_superlink", arguments, log, told=job.told()) as superlink:
        control = _control(superlink, keys, _own_address(host, port), log)
        say(f"listening at {written(host, port)} for {', '.join(hospitals)}")
        try:
            _run(control, superlink, hospitals, watch, log)
        finally:
            control.close()
    if (error := job.left()) is not None:
        raise error
    watch()
    run = read_run(job.out)
    if not run.finished:
        raise LeadapronError("the server ended before the last round", fix=f"{GO_ON} Its log says more: {log}")
    return run


def check_port(host: str, port: int) -> None:
    """Said before anything is started: nothing else listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            raise ConfigError(
                f"the server cannot listen there ({(error.strerror or str(error)).lower()})",
                where="--address",
                got=written(host, port),
                fix="End the process that uses the port, or choose another with --address.",
            ) from error


def _own_address(host: str, port: int) -> str:
    """By which this machine reaches what listens there."""
    return written({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)


def _control(superlink: subprocess.Popen[str], keys: Path, address: str, log: Path) -> Any:  # noqa: ANN401
    """A line to the SuperLink, as soon as it answers."""
    import httpx
    from flwr.proto.control_pb2 import ListRunsRequest
    from flwr.supercore.control import ControlHttpClient
    from flwr.supercore.interceptors import RuntimeVersionHttpInterceptor

    from leadapron.federated.flower.node_keys import AUTHORITY, CERTIFICATE

    control = ControlHttpClient.from_server_address(
        address,
        False,
        (keys / AUTHORITY).read_bytes(),
        [RuntimeVersionHttpInterceptor(component_name="leadapron")],
    )
    while True:
        try:
            control.ListRuns(ListRunsRequest())
            return control
        except httpx.TransportError as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                raise ConfigError(
                    "the certificate does not name the address that the server listens at",
                    where=keys / CERTIFICATE,
                    got=address,
                    fix="Make keys that name it with `leadapron federation keys --server HOST --out FOLDER`, or "
                    "listen at 0.0.0.0.",
                ) from error
            if superlink.poll() is not None:
                raise LeadapronError("Flower's SuperLink did not start", fix=f"Its log says why: {log}") from error
        time.sleep(POLL)


def _run(
    control: Any,  # noqa: ANN401
    superlink: subprocess.Popen[str],
    hospitals: dict[str, bytes],
    watch: Callable[[], None],
    log: Path,
) -> None:
    """Register the hospitals, start the app, and wait for its end."""
    import httpx
    from flwr.common.serde import fab_to_proto
    from flwr.proto.control_pb2 import ListRunsRequest, RegisterNodeRequest, StartRunRequest
    from flwr.supercore.fab import Fab

    from leadapron.federated.flower.app_bundle import make_bundle

    bundle = make_bundle()
    try:
        for name, key in hospitals.items():
            control.RegisterNode(RegisterNodeRequest(public_key=key, name=name))
        app = fab_to_proto(Fab(hashlib.sha256(bundle).hexdigest(), bundle, {}))
        run = control.StartRun(StartRunRequest(fab=app)).run_id
        while control.ListRuns(ListRunsRequest(run_id=run)).run_dict[run].status.status != "finished":
            watch()
            time.sleep(POLL)
    except httpx.HTTPError as error:
        superlink.kill()
        raise LeadapronError(
            "Flower's SuperLink ended during the run", fix=f"{GO_ON} Its log says why: {log}"
        ) from error
