"""Run the benchmarks: `python -m benchmarks [--quick] [NAME ...]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import (
    agent,
    atspi,
    desktop,
    gtk,
    idle,
    imgui,
    javafx,
    latency,
    mcp,
    orca,
    press,
    pytest_plugin,
    scale,
    snapshot,
    suite,
    tk,
    trace,
    video,
    web,
    webdriver,
    wx,
)
from .measure import Report

_ALL = {
    "snapshot": snapshot.run,
    "latency": latency.run,
    "idle": idle.run,
    "desktop": desktop.run,
    "atspi": atspi.run,
    "press": press.run,
    "agent": agent.run,
    "orca": orca.run,
    "imgui": imgui.run,
    "mcp": mcp.run,
    "javafx": javafx.run,
    "wx": wx.run,
    "tk": tk.run,
    "gtk": gtk.run,
    "web": web.run,
    "webdriver": webdriver.run,
    "pytest": pytest_plugin.run,
    "suite": suite.run,
    "trace": trace.run,
    "scale": scale.run,
    "video": video.run,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(_ALL)}; all by default"
    )
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument(
        "--rows",
        type=lambda text: tuple(text.split(",")),
        default=(),
        metavar="TEXT,...",
        help="only what contains one of these texts in its name, such as 'PyQt6' or 'click,ping'",
    )
    parser.add_argument(
        "--table", action="store_true", help="print all figures again, as a table in Markdown"
    )
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks.json"))
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in _ALL]:
        parser.error(f"no benchmark '{unknown[0]}'; there are {', '.join(_ALL)}")
    report = Report(rows=arguments.rows)
    for name in arguments.names or _ALL:
        print(f"\n{name}", flush=True)
        _ALL[name](report, arguments.quick)
    report.save(arguments.out)
    if arguments.table:
        print(f"\n{report.table()}")
    for figure in report.broken:
        print(f"broken: {figure.what}: {figure.bound}", file=sys.stderr)
    return 1 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
