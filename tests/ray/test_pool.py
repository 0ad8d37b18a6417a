"""Desktops on a Ray cluster of three nodes, all on this machine."""

from __future__ import annotations

import io
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand.model.errors import InvalidParams, LaunchFailed
from deskhand.ray import Desktops, ItemFailed, ItemLost
from deskhand.ray.progress import Progress
from deskhand.tracing.reader import Recorded

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Ray's own
    pytest.mark.timeout(300),
]

FORM = (sys.executable, str(Path(__file__).parents[2] / "demo/qt_form.py"))
ADDRESSES = (f"127.0.0.{number}" for number in itertools.count(2))
"""Loopback only: Ray would look for this machine's address in a network if it were given 127.0.0.1."""
_VARIABLES = ("RAY_USAGE_STATS_ENABLED", "RAY_TMPDIR")
WAIT = 60
"""How long to wait for something on a busy machine, in seconds."""


class Machines:
    """A cluster whose nodes each have room for two desktops."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        # Paths of sockets are short.
        self.folder = tempfile.mkdtemp(prefix="ray.", dir="/tmp")
        self._before = {name: os.environ.get(name) for name in _VARIABLES}
        os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": self.folder}
        # With room for one desktop, so that of two at least one is on another node.
        head = {**self._node(), "memory": 150 * 2**20, "include_dashboard": False}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.cluster.add_node(**self._node()) for _ in range(2)]

    def _node(self) -> dict[str, Any]:
        return {
            "num_cpus": 1,
            "memory": 2**30,
            "object_store_memory": 100 * 2**20,
            "node_ip_address": next(ADDRESSES),
        }

    def close(self) -> None:
        self.cluster.shutdown()
        for name, value in self._before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    import ray

    machines = Machines()
    address = machines.cluster.address
    ray.init(address, log_to_driver=False, _node_ip_address=address.split(":")[0])
    yield machines
    ray.shutdown()
    machines.close()


@pytest.fixture(scope="module")
def pool(machines: Machines) -> Iterator[Desktops]:
    with Desktops(3, cpus=0.5, memory=100 * 2**20) as pool:
        yield pool


def greet(desktop: Any, name: str) -> tuple[str, str]:
    app = desktop.launch(FORM)
    app.locator("#name").fill(name)
    app.get_by_role("button", name="Greet").click()
    return app.locator("#report").text_content(), desktop.display


def test_each_item_gets_a_free_desktop_and_results_keep_the_order(pool: Desktops) -> None:
    found = list(pool.map(greet, ["Ada", "Eve", "Kim", "Lee"]))

    assert [text for text, _ in found] == ["Hello, Ada!", "Hello, Eve!", "Hello, Kim!", "Hello, Lee!"]
    assert len({display for _, display in found}) == 3


def test_results_stream_as_they_complete(pool: Desktops, tmp_path: Path) -> None:
    go = tmp_path / "go"

    def held(_: Any, item: str) -> str:
        deadline = time.monotonic() + WAIT
        while item == "slow" and not go.exists() and time.monotonic() < deadline:
            time.sleep(0.05)  # another process makes the file
        return item

    results = pool.results(held, ["slow", "fast"])
    assert next(results).value == "fast"
    go.touch()
    assert next(results).value == "slow"


def test_an_item_that_fails_returns_the_trace_of_its_app(pool: Desktops, tmp_path: Path) -> None:
    def wrong(desktop: Any, item: int) -> int:
        app = desktop.launch(FORM)
        app.locator("#name").fill("Ada")
        return item // (item - 1)

    with pytest.raises(ItemFailed, match="item 1 failed: ZeroDivisionError") as caught:
        list(pool.map(wrong, [1, 2]))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert "in wrong" in caught.value.traceback
    trace = Recorded(caught.value.save_trace(tmp_path / "trace.zip"))
    assert any("Ada" in str(step) for step in trace.steps)

    first, second = pool.map(wrong, [1, 2], return_exceptions=True)
    assert isinstance(first, ItemFailed)
    assert second == 2


def test_apps_end_with_their_item(pool: Desktops) -> None:
    def left(desktop: Any, _: int) -> int:
        import deskhand

        desktop.launch(FORM)
        return deskhand.launch(FORM, desktop=desktop).pid

    pids = list(pool.map(left, range(2)))
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


def test_no_item_is_lost_or_silently_run_twice_when_a_node_goes(
    machines: Machines, pool: Desktops, tmp_path: Path
) -> None:
    def counted(desktop: Any, item: int) -> int:
        import ray

        ran = tmp_path / f"{item}.{desktop.attempt}"
        ran.with_suffix(".new").write_text(ray.get_runtime_context().get_node_id())
        ran.with_suffix(".new").rename(ran)
        while item in (1, 2) and desktop.attempt == 1 and not (tmp_path / "go").exists():
            time.sleep(0.05)  # another process makes the file
        desktop.launch(FORM).locator("#name").fill(str(item))
        return item

    results = pool.results(counted, range(8), retries=2)
    collected = [next(results)]
    held = [tmp_path / "1.1", tmp_path / "2.1"]
    wait_until(lambda: all(path.exists() for path in held))
    hosts = {path.read_text() for path in held}
    node = next(node for node in machines.nodes if node.node_id in hosts)
    machines.cluster.remove_node(node, allow_graceful=False)
    (tmp_path / "go").touch()
    collected += results

    assert sorted(result.value for result in collected) == list(range(8))
    lost = {(each.item, each.attempt) for result in collected for each in result.lost}
    assert lost >= {(int(path.stem), 1) for path in held if path.read_text() == node.node_id}
    # An item ran again only after an attempt that was reported as lost.
    ran = {(int(path.stem), int(path.suffix[1:])) for path in tmp_path.glob("?.?")}
    assert ran - lost == {(result.item, len(result.lost) + 1) for result in collected}


def test_a_lost_desktop_is_replaced_and_its_item_retried_only_on_request(pool: Desktops) -> None:
    def killed(desktop: Any, item: str) -> int:
        if item == "bad" and desktop.attempt == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return desktop.attempt

    with pytest.raises(ItemLost, match="may have run in part"):
        list(pool.map(killed, ["bad"]))
    assert list(pool.map(killed, ["bad", "good"], retries=1)) == [2, 1]


def test_an_item_whose_display_ends_is_lost_too(pool: Desktops) -> None:
    def blind(desktop: Any, _: int) -> int:
        if desktop.attempt == 1:
            os.kill(desktop._xvfb.pid, signal.SIGKILL)
            desktop.launch(FORM)
        return desktop.attempt

    (result,) = pool.results(blind, [0], retries=1)
    assert result.error is None, result.error.traceback
    assert (result.value, [lost.attempt for lost in result.lost]) == (2, [1])
    assert "Xvfb" in result.lost[0].reason


def test_an_item_that_takes_too_long_costs_its_desktop_only(pool: Desktops) -> None:
    def endless(_: Any, item: int) -> int:
        while item == 0:
            time.sleep(0.05)
        return item

    with pytest.raises(ItemFailed, match="took longer than 2 s"):
        list(pool.map(endless, [0, 1], timeout=2))
    assert list(pool.map(endless, [1, 2])) == [1, 2]


def test_nothing_is_left_behind(machines: Machines) -> None:
    def where(desktop: Any, _: int) -> tuple[int, str]:
        return desktop.supervisor.pid, str(desktop.folder)

    def stuck(_: Any, __: int) -> None:
        time.sleep(WAIT)

    pool = Desktops(2, cpus=0.5, memory=100 * 2**20)
    places = set(pool.map(where, range(6)))
    running = pool.results(stuck, [0])
    running.close()
    pool.close()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() or Path(at).exists() for pid, at in places))


def test_a_pool_for_which_the_cluster_has_no_room_says_so(machines: Machines) -> None:
    with (
        Desktops(1, cpus=64, timeout=1) as pool,
        pytest.raises(LaunchFailed, match=r"asks for 64 CPUs .* are free in the cluster"),
    ):
        list(pool.map(greet, ["Ada"]))


def test_a_pool_needs_a_count_and_retries_that_are_whole_numbers(machines: Machines) -> None:
    for count in (0, -1, 1.5):
        with pytest.raises(InvalidParams, match="at least one desktop"):
            Desktops(count)  # type: ignore[arg-type]
    with Desktops(1, cpus=64) as pool, pytest.raises(InvalidParams, match="retries"):
        pool.results(greet, [], retries=-1)


def test_the_package_is_imported_without_ray_and_says_what_it_needs() -> None:
    code = (
        "import sys; sys.modules['ray'] = None; import deskhand; assert deskhand.ray.Desktops\n"
        "deskhand.ray.Desktops(1)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'deskhand[ray]'" in ran.stderr
    ran = subprocess.run([sys.executable, "-c", "import deskhand.ray, sys; sys.exit('ray' in sys.modules)"])
    assert ran.returncode == 0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_progress_bar_is_shown_on_a_terminal_only() -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        bar = Progress(stream, 4, None)
        bar.show(1, 2, lost=0, failed=0)
        bar.show(3, 1, lost=1, failed=2)
        bar.close()

    assert terminal.getvalue().split("\r")[1].startswith("[#######...")
    assert terminal.getvalue().endswith("3/4, 1 running, 2 failed, 1 lost\n")
    assert file.getvalue() == ""


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)  # nothing announces the end of processes of other processes
