"""A real Selenium Grid in front of `deskhand webdriver`, with the configuration that it prints."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from .test_webdriver import DESKHAND, FORMS, ROOT, Plain, Server

pytestmark = [
    pytest.mark.programs,
    pytest.mark.filterwarnings("ignore:setting remote_server_addr:DeprecationWarning"),
]

JAR = ROOT / ".cache/grid/selenium-server.jar"
STARTING = 60
"""How long a Grid may take to start on a busy machine, in seconds."""


@contextlib.contextmanager
def grid(relay: str, folder: Path) -> Iterator[str]:
    """A Grid in one process; its address."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    config = folder / "relay.toml"
    config.write_text(relay.replace("port = 4444", f"port = {port}"))
    with (folder / "grid.log").open("w") as log:
        process = subprocess.Popen(
            ["java", "-XX:TieredStopAtLevel=1", "-jar", str(JAR), "standalone", "--config", str(config)],
            stdout=log,
            stderr=log,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + STARTING
        while not _ready(url):
            assert process.poll() is None, (folder / "grid.log").read_text()
            assert time.monotonic() < deadline, (folder / "grid.log").read_text()
            time.sleep(0.1)  # it announces nothing
        yield url
    finally:
        process.kill()
        process.wait()


def _ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/status", timeout=5) as answer:
            status: dict[str, Any] = json.load(answer)
    except OSError:
        return False
    return bool(status["value"]["ready"])


def test_sessions_queue_up_behind_a_real_grid_and_all_pass(tmp_path: Path) -> None:
    server = Server("--slots", "2")
    try:
        port = server.url.rpartition(":")[2]
        relay = subprocess.run(
            [DESKHAND, "webdriver", "--port", port, "--slots", "2", "--grid-config"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        with grid(relay, tmp_path) as url, ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda number: _greet(url, number), range(4))) == [
                f"Hello, number {number}!" for number in range(4)
            ]
    finally:
        server.close()


def _greet(url: str, number: int) -> str:
    options = Plain()
    options.set_capability("platformName", "linux")
    options.set_capability("appium:automationName", "deskhand")
    options.set_capability("deskhand:command", list(FORMS["qt"]))
    driver = webdriver.Remote(url, options=options)
    try:
        driver.implicitly_wait(20)
        driver.find_element(By.NAME, "Name").send_keys(f"number {number}")
        driver.find_element(By.XPATH, '//button[@name="Greet"]').click()
        return driver.find_element(By.ID, "report").text
    finally:
        driver.quit()


def test_a_server_that_is_killed_leaves_no_app_behind() -> None:
    server = Server("--slots", "1")
    driver = server.open(*FORMS["qt"])
    pid = driver.execute_script("deskhand: get app info")["pid"]

    server.process.send_signal(signal.SIGKILL)
    server.close()

    deadline = time.monotonic() + STARTING
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, f"process {pid} of {os.getpid()} {sys.argv[0]} is still there"
        time.sleep(0.05)  # it is not our child, and announces nothing
