"""A real Selenium Grid in front of `deskhand webdriver`, with the configuration that it prints."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from .test_webdriver import DESKHAND, FORMS, ROOT, Plain, Server

pytestmark = [
    pytest.mark.programs,
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore:setting remote_server_addr:DeprecationWarning"),
]

JAR = ROOT / ".cache/grid/selenium-server.jar"
STARTING = 60
"""How long a Grid may take to start on a busy machine, in seconds."""


@contextlib.contextmanager
def grid(relay: str, folder: Path) -> Iterator[str]:
    """A Grid in one process; its address."""
    port = free_port()
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
        relay = printed_config(server)
        with grid(relay, tmp_path) as url, ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda number: _greet(url, number), range(4))) == [
                f"Hello, number {number}!" for number in range(4)
            ]
    finally:
        server.close()


class Hub:
    """A hub with two nodes, each relaying to a `deskhand webdriver` with two slots."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = contextlib.ExitStack()
        self.port, publish, subscribe = (free_port() for _ in range(3))
        self.url = f"http://127.0.0.1:{self.port}"
        bus = f'[events]\npublish = "tcp://127.0.0.1:{publish}"\nsubscribe = "tcp://127.0.0.1:{subscribe}"\n'
        options = f"--port {self.port} --host 127.0.0.1 --healthcheck-interval 1"
        events = f"--publish-events tcp://127.0.0.1:{publish} --subscribe-events tcp://127.0.0.1:{subscribe}"
        self._java("hub", *f"{options} {events}".split())
        self.servers: list[Server] = []
        self.nodes: list[subprocess.Popen[bytes]] = []
        for _ in range(2):
            server = Server("--slots", "2")
            self._stack.callback(server.close)
            toml = folder / f"node{len(self.nodes)}.toml"
            relay = printed_config(server).replace("port = 4444", f'port = {free_port()}\nhost = "127.0.0.1"')
            toml.write_text(f"{relay}\n{bus}")
            options = f"--config {toml} --session-timeout 15 --register-cycle 1 --heartbeat-period 1"
            self.nodes.append(self._java("node", *options.split()))
            self.servers.append(server)
        wait_until(lambda: self.slots() == 4)

    def _java(self, role: str, *options: str) -> subprocess.Popen[bytes]:
        with (self._folder / f"{role}.log").open("a") as log:
            process = subprocess.Popen(
                ["java", "-XX:TieredStopAtLevel=1", "-jar", str(JAR), role, *options], stdout=log, stderr=log
            )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    def slots(self) -> int:
        """How many slots of nodes that are up the hub knows."""
        try:
            with urllib.request.urlopen(f"{self.url}/status", timeout=5) as answer:
                nodes = json.load(answer)["value"].get("nodes", [])
        except OSError:
            return 0
        return sum(len(node["slots"]) for node in nodes if node["availability"] == "UP")

    def open_all(self) -> list[webdriver.Remote]:
        """A session in every slot."""
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda _: webdriver.Remote(self.url, options=_form()), range(4)))

    def close(self) -> None:
        self._stack.close()


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    with contextlib.closing(Hub(tmp_path_factory.mktemp("hub"))) as hub:
        yield hub


def test_twenty_sessions_queue_up_for_the_four_slots_of_two_nodes_and_all_pass(hub: Hub) -> None:
    with ThreadPoolExecutor(20) as pool:
        greeted = list(pool.map(lambda number: _greet(hub.url, number), range(20)))

    assert greeted == [f"Hello, number {number}!" for number in range(20)]
    assert [sessions(server) for server in hub.servers] == [0, 0]


def test_a_client_that_vanishes_frees_its_slot(hub: Hub) -> None:
    for driver in hub.open_all():
        driver.command_executor.close()
    assert _greet(hub.url, 5) == "Hello, number 5!"


def test_a_killed_node_costs_its_own_sessions_only_and_leaves_nothing_behind(hub: Hub) -> None:
    wait_until(lambda: sum(map(sessions, hub.servers)) == 0)
    pids = {app_pid(driver): driver for driver in hub.open_all()}
    lost, kept = hub.servers
    own = [pid for pid in pids if descends(pid, lost.process.pid)]
    assert len(own) == 2
    supervisors = children(lost.process.pid)

    hub.nodes[0].kill()
    lost.process.kill()

    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in (*own, *supervisors)))
    for pid in set(pids) - set(own):
        assert app_pid(pids[pid]) == pid
        pids[pid].quit()
    wait_until(lambda: hub.slots() == 2)
    assert _greet(hub.url, 6) == "Hello, number 6!"
    assert sessions(kept) == 0


def test_a_slot_whose_app_is_stuck_is_freed() -> None:
    server = Server("--slots", "1")
    try:
        driver = server.open(*FORMS["qt"])
        pid = app_pid(driver)
        os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        driver.quit()
        assert time.monotonic() - began < 30
        assert not Path(f"/proc/{pid}").exists()
        server.open(*FORMS["qt"]).quit()
    finally:
        server.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def printed_config(server: Server) -> str:
    """What `--grid-config` says for a running server with two slots."""
    port = server.url.rpartition(":")[2]
    command = [DESKHAND, "webdriver", "--port", port, "--slots", "2", "--grid-config"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def sessions(server: Server) -> int:
    with urllib.request.urlopen(f"{server.url}/appium/sessions", timeout=STARTING) as answer:
        return len(json.load(answer)["value"])


def app_pid(driver: webdriver.Remote) -> int:
    pid: int = driver.execute_script("deskhand: get app info")["pid"]
    return pid


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def descends(pid: int, ancestor: int) -> bool:
    while pid not in (ancestor, 0, 1):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid == ancestor


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + STARTING
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)  # neither Grid nor a process that is not our child announces it


def _form() -> Plain:
    options = Plain()
    options.set_capability("platformName", "linux")
    options.set_capability("appium:automationName", "deskhand")
    options.set_capability("deskhand:command", list(FORMS["qt"]))
    return options


def _greet(url: str, number: int) -> str:
    driver = webdriver.Remote(url, options=_form())
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

    wait_until(lambda: not Path(f"/proc/{pid}").exists())
