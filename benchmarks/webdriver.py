"""WebDriver over HTTP: an XPath over 10,000 nodes, on a tree that did not change and on one that did."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lxml import etree

from .measure import Figure, Report, interleaved
from .programs import command, environment

_WIDGETS = 10_000
_BOUND = 100.0
"""How long a warm XPath may take, in ms."""
_XPATH = "//button[@name][last()]"


class WebDriver:
    """A plain client that keeps its connection, as the stock ones do."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(url.partition("://")[2], timeout=60)
        self._session = ""
        self._session = self.ask("POST", "", {"capabilities": {}})["sessionId"]

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        route = f"/session/{self._session}/{path}".rstrip("/")
        self._connection.request(method, route, None if body is None else json.dumps(body))
        response = self._connection.getresponse()
        value = json.loads(response.read())["value"]
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {value}")
        return value

    def find(self, expression: str) -> int:
        return len(self.ask("POST", "elements", {"using": "xpath", "value": expression}))


def run(report: Report, quick: bool) -> None:
    with _program() as driver:
        root = etree.fromstring(driver.ask("GET", "source").encode())
        nodes = sum(1 for _ in root.iter())
        expression = _XPATH if driver.find(_XPATH) else "//*[last()]"
        warm, alone = interleaved(
            5 if quick else 20, lambda: driver.find(expression), lambda: root.xpath(expression)
        )
        report.add(
            Figure(
                f"WebDriver: an XPath over {nodes:,} nodes, warm", warm, "ms", "lxml on a document at hand",
                alone, f"under {_BOUND:g} ms", warm < _BOUND,
            )
        )  # fmt: skip
        (read,) = interleaved(3 if quick else 10, lambda: driver.ask("GET", "source"))
        report.add(Figure(f"WebDriver: the source of {nodes:,} nodes again", read, "ms"))


@contextmanager
def _program() -> Iterator[WebDriver]:
    deskhand = str(Path(sys.executable).with_name("deskhand"))
    process = subprocess.Popen(
        [deskhand, "run", "--webdriver", "0", "--", *command("PySide6", "--widgets", str(_WIDGETS))],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[-1]
        assert process.stdout.readline() == "ready\n"
        yield WebDriver(url)
    finally:
        process.terminate()
        process.communicate()
