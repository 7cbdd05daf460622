"""Messages to hospitals by name, and why some of them do not answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from flwr.app import Message
from flwr.common.constant import ErrorCode
from flwr.serverapp import Grid

POLL = 0.25

Nodes = Mapping[str, int]
"""Flower's numbers of hospitals that are connected, by their names."""


class Line:
    """The server's line to the hospitals. ``patience``: seconds to wait for them to connect, or to answer."""

    def __init__(self, grid: Grid, connected: Callable[[Grid], Nodes], patience: float) -> None:
        self.grid, self._connected, self.patience = grid, connected, patience
        self.missing: dict[str, str] = {}
        """Who did not answer since this was emptied, and why."""

    def wait_for(self, names: Iterable[str]) -> None:
        """Until all of them are connected, or the patience ends."""
        end = time.monotonic() + self.patience
        while set(names) - set(self._connected(self.grid)) and time.monotonic() < end:
            time.sleep(POLL)

    def nodes(self, names: Iterable[str]) -> Nodes:
        """Those of them that are connected now."""
        there = self._connected(self.grid)
        self.missing |= {name: "it is not connected" for name in names if name not in there}
        return {name: there[name] for name in names if name in there}

    def ask(self, asked: Mapping[str, Message], patience: float | None = None) -> dict[str, Message]:
        """The replies, in the order in which the hospitals were asked."""
        patience = self.patience if patience is None else patience
        names = dict(zip(self.grid.push_messages(list(asked.values())), asked, strict=True))
        replies: dict[str, Message] = {}
        end = time.monotonic() + patience
        while len(replies) < len(names) and time.monotonic() < end:
            for reply in self.grid.pull_messages([ident for ident, name in names.items() if name not in replies]):
                replies[names[reply.metadata.reply_to_message_id]] = reply
            time.sleep(POLL)
        late = f"it did not answer within {patience:g} seconds"
        self.missing |= {name: _why(replies.get(name), late) for name in asked if _failed(replies.get(name))}
        return {name: replies[name] for name in asked if not _failed(replies.get(name))}


def _failed(reply: Message | None) -> bool:
    return reply is None or reply.has_error()


def _why(reply: Message | None, late: str) -> str:
    """Why a hospital did not answer, in our words where Flower's are about its own parts."""
    if reply is None:
        return late
    if reply.error.code in (ErrorCode.NODE_UNAVAILABLE, ErrorCode.CLIENT_APP_CRASHED):
        return "its connection was lost"
    return reply.error.reason or f"Flower's error {reply.error.code}"
