"""Flower's SuperNode, which runs the leadapron that the hospital installed and nothing that a server sends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from leadapron.federated.flower.app_bundle import is_ours
from leadapron.federated.flower.flower_process import FOREIGN, SAID, tied_to_parent

GET_APP = 4
"""Which of the calls that Flower makes to the server fetches the app."""
Calls = tuple[Any, ...]


@contextmanager
def without_foreign_code(connection: AbstractContextManager[Calls]) -> Iterator[Calls]:
    """The line to the server, on which no app but ours is taken."""
    with connection as calls:

        def get_app(*asked: Any) -> Any:  # noqa: ANN401
            app = calls[GET_APP](*asked)
            if not is_ours(app.content):
                print(SAID + FOREIGN, flush=True)
                os._exit(1)
            return app

        yield (*calls[:GET_APP], get_app, *calls[GET_APP + 1 :])


def main() -> None:
    from flwr.supernode import fleet_http_connection, start_client_internal
    from flwr.supernode.cli.flower_supernode import flower_supernode

    def connect(*how: Any) -> AbstractContextManager[Calls]:  # noqa: ANN401
        return without_foreign_code(fleet_http_connection.http_request_response(*how))

    start_client_internal.http_request_response = connect  # type: ignore[attr-defined,assignment]
    with tied_to_parent():
        flower_supernode()


if __name__ == "__main__":
    main()
