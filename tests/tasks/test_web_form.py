"""A page in Chromium: fields, selects of both kinds, an iframe, and a canvas that only a screenshot shows."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue

import pytest
from PIL import Image

from .conversation import conversation

PAGE = """<!doctype html><title>Order</title>
<form id=order>
<p><label>Name <input name=name></label>
<p><label>Country <select name=country><option>France<option>Kenya<option>Japan</select></label>
<p><label>Extras <select name=extras multiple size=3><option>Gift<option>Card<option>Ribbon</select></label>
<p><iframe src="/address" title=Address width=400 height=120></iframe>
<p>Sign in the green box:<br><canvas id=canvas width=300 height=100 aria-label=Signature></canvas>
<p><button>Send</button>
</form>
<output id=state></output>
<script>
const pen = canvas.getContext("2d")
let signed = false
pen.fillStyle = "#00c000"
pen.fillRect(200, 40, 40, 40)
canvas.onclick = ({offsetX: x, offsetY: y}) => { signed ||= x >= 200 && x < 240 && y >= 40 && y < 80 }
order.onsubmit = async event => {
  event.preventDefault()
  const data = new FormData(order)
  const inner = document.querySelector("iframe").contentDocument
  await fetch("/sent", {method: "POST", body: JSON.stringify({
    name: data.get("name"), country: data.get("country"), extras: data.getAll("extras"),
    city: inner.querySelector("input").value, speed: inner.querySelector("select").value, signed,
  })})
  state.textContent = "Thank you"
}
</script>"""
ADDRESS = """<!doctype html>
<p><label>City <input></label>
<p><label>Speed <select><option>Normal<option>Express</select></label>"""
GREEN = (0, 192, 0)


@contextmanager
def served(sent: SimpleQueue[bytes]) -> Iterator[str]:
    """The address of the page; what it sends comes into the queue."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = (ADDRESS if self.path == "/address" else PAGE).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            sent.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def middle_of_green(png: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(png)) as opened:
        image = opened.convert("RGB")
        places = [(x, y) for x in range(image.width) for y in range(image.height)
                  if image.getpixel((x, y)) == GREEN]  # fmt: skip
    return places[len(places) // 2]


@pytest.mark.programs
def test_a_form_in_chromium_is_filled_signed_and_sent(tmp_path: Path) -> None:
    sent: SimpleQueue[bytes] = SimpleQueue()
    with (
        served(sent) as address,
        conversation("Chromium: selects, iframe, canvas", tmp_path, calls=6, tokens=6500) as model,
    ):
        flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--force-renderer-accessibility"]
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        model.use("app_launch", command=["chromium", *flags, profile, address], timeoutMs=120_000)
        model.use("ui_wait", selector={"css": "button", "text": "Send"}, timeoutMs=60_000)
        window = model.use("ui_get_snapshot")
        assert "use ui_screenshot" in window
        model.perform(
            {"type": "setText", "target": {"text": "Name"}, "text": "Ada"},
            {"type": "select", "target": {"text": "Country"}, "text": "Kenya"},
            {"type": "select", "target": {"text": "Extras"}, "text": "Card"},
            {"type": "setText", "target": {"text": "City"}, "text": "Nairobi"},
            {"type": "select", "target": {"text": "Speed"}, "text": "Express"},
            timeoutMs=60_000,
        )
        shot = json.loads(model.use("ui_screenshot", ref={"text": "Signature"}).splitlines()[0])
        x, y = middle_of_green(model.screenshots[-1])
        receipt = model.perform(
            {"type": "click", "x": x, "y": y, "screenshot": shot["screenshot"]},
            {"type": "click", "target": {"role": "button", "name": "Send"}},
            timeoutMs=60_000,
        )
        assert json.loads(sent.get(timeout=60)) == {
            "name": "Ada", "country": "Kenya", "extras": ["Card"], "city": "Nairobi", "speed": "Express",
            "signed": True,
        }  # fmt: skip
        assert "done: click, click" in receipt
