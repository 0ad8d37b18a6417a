"""Walks a program, or presses a button of it, each time a line asks for it, and says how long it took."""

import json
import sys
import time


def serve(walk, press=None):
    for line in sys.stdin:
        request = json.loads(line)
        began = time.perf_counter()
        try:
            if "press" in request:
                press(request["pid"], request["press"])
                answer = {"nodes": 1}
            else:
                answer = {"nodes": walk(request["pid"], request["cold"])}
            answer["ms"] = (time.perf_counter() - began) * 1000
        except Exception as error:  # noqa: BLE001 - whatever a peer fails with is its result
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
