"""The order form as a web page in Chromium: `python demo/web_form.py`. It knows nothing of deskhand.

What the user did is printed as JSON when the window closes. With `--again`, each line on standard input
starts it over with a fresh form, which is answered by a line. With `--debuggable` the browser has a debugging
port, as programs made with Electron have in development.
"""

import argparse
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=1000)
parser.add_argument("--again", action="store_true")
parser.add_argument("--debuggable", action="store_true")
arguments = parser.parse_args()

PAGE = Path(__file__).with_name("web_form.html").read_bytes()
again: "queue.SimpleQueue[None]" = queue.SimpleQueue()
ready = threading.Event()
report: list[str] = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/again":
            self.answer("text/event-stream")
            again.get()
            self.wfile.write(b"data: again\n\n")
        else:
            self.answer("text/html; charset=utf-8")
            self.wfile.write(PAGE)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/ready":
            ready.set()
        else:
            report[:] = [body.decode()]
        self.send_response(204)
        self.end_headers()

    def answer(self, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_):
        pass


def listen():
    for _ in sys.stdin:
        ready.clear()
        again.put(None)
        ready.wait()
        print("ready", flush=True)


def command(url, profile):
    flags = [
        "--no-first-run",
        "--disable-gpu",
        "--disable-sync",
        "--disable-background-networking",
        "--test-type",
    ]
    flags += ["--disable-component-update", "--password-store=basic", "--window-size=640,600"]
    if arguments.debuggable:
        flags.append("--remote-debugging-port=0")
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    return ["chromium", *flags, f"--user-data-dir={profile}", f"--app={url}"]


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/?rows={arguments.rows}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(command(url, profile), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        signal.signal(signal.SIGTERM, lambda *_: browser.terminate())
        if arguments.again:
            threading.Thread(target=listen, daemon=True).start()
        browser.wait()
    server.shutdown()
    print(json.dumps(json.loads(report[-1]) if report else {"events": []}), flush=True)


if __name__ == "__main__":
    main()
