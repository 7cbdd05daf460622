"""Flower's SuperLink, in which other machines reach nothing but what hospitals need.

Flower 1.41 asks hospitals for their keys and nobody else for anything: from any machine that reaches the port one could
register a key, or start an app in every hospital. Here that takes the server's own machine.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from leadapron.federated.flower.flower_process import tied_to_parent

FOR_HOSPITALS, START = "/v1/fleet/", "/v1/control/start-run"
FORBIDDEN, NOT_YET = 403, 503
GRACE = 1

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class HospitalsOnly:
    """What is for hospitals is open to all machines (Flower checks the key), the rest to this one.

    Hospitals wait until the run has started: by then all keys are known, and one that is not is wrong.
    """

    def __init__(self, app: Application) -> None:
        self.app = app
        self.started = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["path"].startswith(FOR_HOSPITALS):
            await (self.app(scope, receive, send) if self.started else _refuse(send, NOT_YET))
        elif _is_here(scope):
            await self.app(scope, receive, send)
            self.started |= scope["path"] == START
        else:
            await _refuse(send, FORBIDDEN)


async def _refuse(send: Send, status: int) -> None:
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def _is_here(scope: Scope) -> bool:
    """Whether the caller is this machine: by the loopback address, or by the one that it called."""
    caller, called = (ipaddress.ip_address(scope[side][0]) for side in ("client", "server"))
    return caller.is_loopback or caller == called


def main() -> None:
    import uvicorn
    from flwr.supercore.logger import update_console_handler
    from flwr.superlink import extensions
    from flwr.superlink.cli.flower_superlink import flower_superlink
    from starlette.middleware import Middleware

    update_console_handler("WARNING", timestamps=True, colored=False)
    uvicorn.run = partial(uvicorn.run, timeout_graceful_shutdown=GRACE)  # a hospital that hangs must not hold it up
    extensions.get_middleware = lambda: (Middleware(HospitalsOnly),)
    with tied_to_parent():
        flower_superlink()


if __name__ == "__main__":
    main()
