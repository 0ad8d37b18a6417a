"""The documents that programs work on: small files, the same in each run."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

_LINES = "".join(f"line {number}: the quick brown fox jumps over the lazy dog\n" for number in range(1, 81))
_TABLE = "name,amount,price\n" + "".join(f"item {n},{n},{n * 1.5}\n" for n in range(1, 41))
_PAGE = """<!doctype html><title>A page</title><h1>A page</h1><form onsubmit="return false">
<p><label>Name <input name=name></label> <label>Secret <input type=password></label></p>
<p><label><input type=checkbox> Agree</label> <label><input type=radio name=r> One</label>
<label><input type=radio name=r> Two</label></p>
<p><label>Colour <select><option>red<option>green<option>blue</select></label>
<label>Level <input type=range min=0 max=10></label> <label>Day <input type=date></label>
<label>Count <input type=number value=3></label></p>
<p><textarea aria-label=Notes>some notes</textarea></p>
<button id=add>Add</button> <button id=swap>Swap</button> <button id=hide>Hide</button></form>
<ul id=list><li>first<li>second<li>third</ul><p id=status>nothing yet</p>
<details><summary>More</summary><p>hidden text</p></details>
<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table><div style="height:1500px"></div><p>the end</p>
<script>
let n = 0, list = document.getElementById('list'), status = document.getElementById('status');
document.getElementById('add').onclick = () => { list.insertAdjacentHTML('beforeend', '<li>item ' + ++n); };
document.getElementById('swap').onclick = () => setTimeout(() => {
  list.firstElementChild && list.firstElementChild.remove();
  list.insertAdjacentHTML('beforeend', '<li class=new' + ++n + '>swapped ' + n);
}, 20);
document.getElementById('hide').onclick = () => {
  status.hidden = !status.hidden; list.className = 'c' + ++n;
};
document.addEventListener('input', event => { status.textContent = 'input ' + event.target.value; });
</script>
"""
_TEXT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.{kind}"><office:body>{body}</office:body></office:document>
"""
_SLIDE = (
    '<draw:page draw:name="slide{0}"><draw:frame svg:width="20cm" svg:height="3cm" svg:x="3cm" svg:y="2cm">'
    "<draw:text-box><text:p>Slide {0}</text:p></draw:text-box></draw:frame></draw:page>"
)
_FORM = """<?xml version="1.0" encoding="UTF-8"?>
<ui version="4.0"><class>Form</class><widget class="QWidget" name="Form">
<layout class="QVBoxLayout" name="layout">
<item><widget class="QLineEdit" name="line"/></item><item><widget class="QPushButton" name="button">
<property name="text"><string>Push</string></property></widget></item></layout></widget></ui>
"""
_WORDS = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS><TS version="2.1" language="de"><context><name>Main</name>
<message><source>Open</source><translation>Öffnen</translation></message>
<message><source>Save</source><translation type="unfinished"></translation></message></context></TS>
"""
_PO = """msgid ""
msgstr ""
"Project-Id-Version: campaign\\n"
"Language: de\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "Open"
msgstr "Öffnen"

msgid "Save"
msgstr ""

msgid "Close the window"
msgstr ""
"""


def plain(home: Path) -> None:
    """Write the documents into a home."""
    texts = {
        "text.txt": _LINES,
        "other.txt": _LINES.replace("line 7:", "line seven:").replace("line 30:", "line thirty:"),
        "table.csv": _TABLE,
        "page.html": _PAGE,
        "text.fodt": _TEXT.format(kind="text", body=f"<office:text>{_paragraphs()}</office:text>"),
        "table.fods": _TEXT.format(
            kind="spreadsheet",
            body=f'<office:spreadsheet><table:table table:name="One">{_rows()}</table:table>'
            '<table:table table:name="Two"/></office:spreadsheet>',
        ),
        "slides.fodp": _TEXT.format(
            kind="presentation",
            body=f"<office:presentation>{''.join(map(_SLIDE.format, '123'))}</office:presentation>",
        ),
        "form.ui": _FORM,
        "words.ts": _WORDS,
        "words.po": _PO,
    }
    for name, text in texts.items():
        (home / name).write_text(text, encoding="utf-8")
    (home / "image.png").write_bytes(_image(64, 48))
    (home / "page.pdf").write_bytes(_pdf())
    for name in ("Documents", "Pictures", "Desktop"):
        (home / name).mkdir(exist_ok=True)


def _paragraphs() -> str:
    return "".join(f"<text:p>{line}</text:p>" for line in _LINES.splitlines()[:20])


def _rows() -> str:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    lines = (line.split(",") for line in _TABLE.splitlines()[:12])
    return "".join(f"<table:table-row>{''.join(map(cell.format, line))}</table:table-row>" for line in lines)


def _image(width: int, height: int) -> bytes:
    """A PNG with a gradient."""
    rows = b"".join(b"\0" + b"".join(bytes((4 * x, 5 * y, 128)) for x in range(width)) for y in range(height))
    parts = (
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + body


def _pdf() -> bytes:
    """Two pages with a line of text each."""
    texts = [f"BT /F1 24 Tf 72 700 Td (Page {page}) Tj ET".encode() for page in (1, 2)]
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>",
        *(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R" % number
            + b"/Resources<</Font<</F1 7 0 R>>>>>>"
            for number in (5, 6)
        ),
        *(b"<</Length %d>>stream\n%s\nendstream" % (len(text), text) for text in texts),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj%s endobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return data + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
