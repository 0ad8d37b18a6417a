"""Opens a session with `deskhand webdriver` and says what it saw; see check-container.sh."""

import base64
import json
import time
import urllib.error
import urllib.request

URL = "http://127.0.0.1:4723"
WAIT = 60
"""How long the server may take to start, in seconds."""


def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=WAIT) as answer:
        return json.load(answer)["value"]


def status():
    deadline = time.monotonic() + WAIT
    while True:
        try:
            return ask("GET", "/status")
        except urllib.error.URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


print(status()["message"])
capabilities = {"platformName": "linux", "appium:app": "Root", "deskhand:size": "800x600"}
began = time.monotonic()
session = ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]
print(f"a session after {time.monotonic() - began:.2f} s")
assert ask("GET", f"/session/{session}/window/handles") == []
png = base64.b64decode(ask("GET", f"/session/{session}/screenshot"))
size = [int.from_bytes(png[at : at + 4], "big") for at in (16, 20)]
assert size == [800, 600], size
print(f"a screenshot of {size[0]}x{size[1]} pixels")
ask("DELETE", f"/session/{session}")
print("ended")
