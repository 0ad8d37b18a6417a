"""Walks a program each time a line asks for it, and says how long it took and how many nodes there were."""

import json
import sys
import time


def serve(walk):
    for line in sys.stdin:
        request = json.loads(line)
        began = time.perf_counter()
        try:
            nodes = walk(request["pid"], request["cold"])
            answer = {"ms": (time.perf_counter() - began) * 1000, "nodes": nodes}
        except Exception as error:  # noqa: BLE001 - whatever a peer fails with is its result
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
