"""A headless Chromium, spoken to over a pipe in its own protocol: no driver, no port, no package."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip

OVERLAPS = """[...document.querySelectorAll("figure svg")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent);
  const boxes = texts.map((t) => t.getBBox());
  const found = [];
  for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
    const [a, b] = [boxes[i], boxes[j]];
    const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
    const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
    if (wide > 1 && high > 4) found.push(texts[i].textContent + " / " + texts[j].textContent);
  }
  return found;
})"""
"""Words of figures that lie over others."""


class Page:
    """One page, with everything that it asked for and complained about."""

    def __init__(self, commands: Any, answers: Any) -> None:
        self.commands, self.answers = commands, answers
        self.events: list[dict[str, Any]] = []
        self.session: str | None = None
        self.number = 0
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _read(self) -> dict[str, Any]:
        characters = bytearray()
        while (one := self.answers.read(1)) != b"\0":
            assert one, "the browser went away"
            characters += one
        return json.loads(characters)

    def open(self, file: Path) -> None:
        self.events.clear()
        self.call("Page.navigate", url=file.resolve().as_uri())
        while not self.named("Page.loadEventFired"):
            self.events.append(self._read())

    def named(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.events if event.get("method") == method]

    def evaluate(self, expression: str) -> Any:
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def emulate(self, *, media: str = "", scheme: str = "light", width: int = 1000) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setScrollbarsHidden", hidden=bool(media))

    def screenshot(self, target: Path) -> None:
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        target.write_bytes(base64.b64decode(picture["data"]))

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)["data"])


@contextlib.contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """A browser that is ended with the block."""
    hear, speak = os.pipe()
    listen, tell = os.pipe()
    plumbing = f'exec "$0" "$@" 3<&{hear} 4>&{tell}'
    process = subprocess.Popen(
        ["/bin/bash", "-c", plumbing, str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}"],
        pass_fds=(hear, tell), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(hear)
    os.close(tell)
    with os.fdopen(speak, "wb") as commands, os.fdopen(listen, "rb") as answers:
        try:
            page = Page(commands, answers)
            yield page
            page.session = None
            page.call("Browser.close")
        finally:
            process.terminate()
            process.wait(timeout=20)
