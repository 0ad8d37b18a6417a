"""A slicing runs in the background, reports its progress, and can be cancelled."""

from __future__ import annotations

import queue
import threading

import pytest

from demo.slicer import gcode
from demo.slicer.job import Job, Plan
from demo.slicer.model import FILAMENTS, PRINTERS, Placement, Settings
from demo.slicer.stl import box

CUBE = Placement((50, 50)).place(box((20, 20, 20)))


class Heard:
    """What a job reports, and from which thread."""

    def __init__(self):
        self.told: queue.Queue = queue.Queue()
        self.hold = threading.Event()
        self.hold.set()

    def job(self, mesh=CUBE, **settings) -> Job:
        plan = Plan(mesh, PRINTERS[0], FILAMENTS[0], Settings(layer_height=0.4, **settings))

        def progress(_job, percent):
            self.told.put(("progress", percent))
            self.hold.wait(20)

        return Job(
            plan,
            progress=progress,
            done=lambda _job, result: self.told.put(("done", result)),
            failed=lambda _job, why: self.told.put(("failed", why)),
        )

    def last(self):
        while (told := self.told.get(timeout=20))[0] == "progress":
            pass
        return told


@pytest.fixture
def heard():
    return Heard()


def test_it_reports_its_progress_and_returns_the_gcode(heard):
    heard.job().start()

    percents = []
    while (told := heard.told.get(timeout=20))[0] == "progress":
        percents.append(told[1])
    assert percents == sorted(set(percents))
    assert percents[-1] == 100
    assert told[0] == "done"
    assert gcode.read(told[1].text).high[2] == pytest.approx(20)


def test_once_it_is_cancelled_it_reports_nothing_more(heard):
    heard.hold.clear()
    job = heard.job()
    job.start()
    heard.told.get(timeout=20)

    job.cancel()
    heard.hold.set()
    job.cancel(timeout=20)

    while not heard.told.empty():
        assert heard.told.get()[0] == "progress"
    assert job.percent < 100
    assert "slicing" not in {thread.name for thread in threading.enumerate()}


def test_cancelled_at_the_very_end_it_gives_nothing_either(heard, monkeypatch):
    job = heard.job()
    monkeypatch.setattr(gcode, "write", lambda *_: job.cancel() or "")

    job.start()
    job.cancelled.wait(20)
    job.cancel(timeout=20)

    assert {heard.told.get()[0] for _ in range(heard.told.qsize())} == {"progress"}


def test_a_model_that_cannot_be_sliced_is_reported_with_the_reason(heard):
    heard.job(box((20, 0.1, 20))).start()

    assert heard.last() == (
        "failed",
        "nothing of the model is as thick as one line, 0.45 mm; is its surface closed?",
    )


def test_an_error_during_slicing_is_reported(heard, monkeypatch):
    monkeypatch.setattr(gcode, "write", lambda *_: 1 / 0)

    heard.job().start()

    assert heard.last() == ("failed", "the slicing failed: ZeroDivisionError: division by zero")
