"""Operations go out as requests and come back as results or the same errors."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from deskhand.model import codec, errors
from deskhand.model import operations as ops
from deskhand.model.node import AppInfo, AppState, Image, Node, Option, Rect, Window
from deskhand.model.tree import Cut, Tree
from deskhand.protocols.gip.client import decode_reply, decode_result, encode_call, encode_operation, is_ours
from deskhand.protocols.gip.server import GipServer
from tests.wire.form import make_session

NODE = Node.of({
    "uid": "u-2", "parent": "u-1", "role": "combo-box", "native_class": "QComboBox", "name": "Ä",
    "bounds": Rect(1, 2, 3.5, 4), "actions": ("press",), "options": (Option(0, "a", "1", True),),
})  # fmt: skip
WINDOW = Window("u-1", "Title", bounds=Rect(0, 0, 9, 9), pid=5)
RESULTS = {
    ops.ReadTree: ops.Snapshot(
        3, Tree([Node.of({"uid": "u-1"}), NODE], (WINDOW,), 3, 1.5, "u-2", Cut(4, "too many", ("u-1",)))
    ),
    ops.Find: (NODE,),
    ops.Get: NODE,
    ops.Selectors: {"u-1": "#a"},
    ops.Wait: ops.Waited(0.5, NODE, 1),
    ops.WaitIdle: ops.Waited(0.25),
    ops.WaitChange: ops.Snapshot(4, difference=ops.Difference(3, 4, windows_closed=("u-1",))),
    ops.Screenshot: Image(b"\x89PNG\0", 3, 4, 2.0),
    ops.Viewport3d: Image(b"\x89PNG\0", 3, 4, 2.0),
    ops.ListWindows: (WINDOW,),
    ops.GetAppInfo: AppInfo("Qt", "6.11", 5, "Title", deskhand="1"),
    ops.GetAppState: AppState(busy=True, extra={"a": [1]}),
    ops.Ping: ops.Pong(1.5, 2.5),
    ops.Execute: ops.Executed(3, "out", timed_out=True),
    ops.Download: b"\0\xff",
    ops.GetClipboard: "text ä",
}
DONE = ops.Done(
    "u-2",
    ops.Difference(
        1, 2, (NODE,), (ops.Change("u-3", "gone"),), (ops.Change("u-2", "x", {"value": "b"}, {}),)
    ),
    {"value": "b", "index": 1, "text": "b"},
    "by mouse",
)


class Recorder:
    """A runner that returns, or raises, the given result."""

    def __init__(self, result):
        self.result = result

    def run(self, operation, cancel=None):
        self.operation = operation
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    def close(self): ...


def through_the_wire(runner, operation):
    request = encode_operation(operation)
    conversation = GipServer(runner).conversation("unix", "unix:/a", "test")
    return decode_result(operation, request, conversation.handle(request.data))


def sample(kind):
    """An operation with every field set to something else than its default."""
    values = {
        str: "text ä", bool: True, int: 7, float: 0.5, bytes: b"\0\xff",
        tuple[str, ...]: ("a", "b"), tuple[Window, ...]: (WINDOW,),
    }  # fmt: skip
    given = {}
    for name, annotation, _ in codec._schema(kind):
        plain = next((one for one in values if annotation in (one, one | None)), None)
        given[name] = values[plain]
    return kind(**given)


@pytest.mark.parametrize("name", ops.OPERATIONS)
def test_every_operation_and_its_result_arrive_unchanged(name):
    kind = ops.OPERATIONS[name]
    runner = Recorder(RESULTS.get(kind, DONE))
    sent = sample(kind)
    result = through_the_wire(runner, sent)
    assert runner.operation == sent
    assert codec.encode(result) == codec.encode(runner.result)
    assert type(result) is type(runner.result)


def test_a_tree_goes_the_short_way_and_says_the_same():
    snapshot = RESULTS[ops.ReadTree]
    reply = (
        GipServer(Recorder(snapshot))
        .conversation("unix", "unix:/a", "t")
        .handle(encode_operation(ops.ReadTree()).data)
    )
    assert json.loads(reply)["result"] == json.loads(json.dumps(codec.encode(snapshot)))


@pytest.mark.parametrize("kind", errors.ERRORS.values(), ids=lambda kind: kind.__name__)
def test_every_error_is_raised_again_unchanged(kind):
    if kind.kind == "unmet":
        pytest.skip("never leaves the engine")
    error = kind(
        "what happened",
        target="#a",
        near=("#b",),
        matches=("#c",),
        last_seen={"x": 1},
        suggestions=("try",),
        extra=5,
    )
    with pytest.raises(errors.DeskhandError) as caught:
        through_the_wire(Recorder(error), ops.Ping())
    assert type(caught.value) is kind
    assert caught.value.to_json() == error.to_json()


@pytest.mark.parametrize("kind", errors.ERRORS.values(), ids=lambda kind: kind.__name__)
def test_every_error_of_a_gip_method_is_raised_as_its_own_kind(kind):
    if issubclass(kind, errors.UnknownMethod) or kind.kind == "unmet":
        pytest.skip("reported by the protocol itself, or never")
    request = encode_call("click", {"ref": "root/a"})
    conversation = GipServer(Recorder(kind("why", near=("root/b",)))).conversation("unix", "unix:/a", "t")
    with pytest.raises(kind) as caught:
        decode_reply(request, conversation.handle(request.data))
    assert "root/a" in caught.value.message or "why" in caught.value.message


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-32700, errors.ParseError), (-32600, errors.InvalidRequest), (-32601, errors.UnknownMethod),
        (-32602, errors.InvalidParams), (-32603, errors.ActionFailed), (1, errors.NotFound),
        (2, errors.NotVisible), (3, errors.NotEnabled), (4, errors.NotConnected),
        (5, errors.WaitTimeout), (6, errors.NotFocusable), (7, errors.NotEditable), (99, errors.ActionFailed),
    ],
)  # fmt: skip
def test_the_codes_of_other_servers_are_errors_of_ours(code, kind):
    request = encode_call("click", {"ref": "root/a"})
    data = {"ref": "root/a", "similar": ["root/b", 5], "suggestions": ["look"], "strange": object.__name__}
    reply = {"jsonrpc": "2.0", "error": {"code": code, "message": "no", "data": data}, "id": request.id}
    with pytest.raises(kind) as caught:
        decode_reply(request, json.dumps(reply).encode())
    assert caught.value.target == "root/a"
    assert caught.value.near == ("root/b",)
    assert caught.value.suggestions == ("look",)


def test_a_four_from_type_means_that_it_cannot_be_edited():
    request = encode_call("type", {"ref": "root/a", "text": ""})
    reply = {"jsonrpc": "2.0", "error": {"code": 4, "message": "Element not editable"}, "id": request.id}
    with pytest.raises(errors.NotEditable):
        decode_reply(request, json.dumps(reply).encode())


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ({"result": {"success": False, "error": "Widget not found: root/a"}}, errors.NotFound),
        ({"result": {"error": "Unknown method: select"}}, errors.UnknownMethod),
        ({"result": {"success": False}}, errors.ActionFailed),
        ({"error": "boom"}, errors.ActionFailed),
        ({"error": {"code": "x"}}, errors.ActionFailed),
        ({}, errors.InvalidRequest),
        ({"result": {}, "id": 999_999}, errors.InvalidRequest),
        ([], errors.InvalidRequest),
        (5, errors.InvalidRequest),
    ],
)
def test_failures_of_older_and_broken_servers_are_errors(reply, kind):
    request = encode_call("click", {"ref": "root/a"})
    if isinstance(reply, dict):
        reply.setdefault("id", request.id)
    with pytest.raises(kind):
        decode_reply(request, json.dumps(reply).encode())


def test_no_json_in_a_reply_is_an_error():
    with pytest.raises(errors.ParseError):
        decode_reply(encode_call("ping"), b"<html>")


def test_requests_have_ids_of_their_own():
    assert len({encode_call("ping").id for _ in range(100)}) == 100


def test_our_own_servers_are_known_by_connect():
    session = make_session()
    try:
        request = encode_call("connect", {"target": "app"})
        reply = GipServer(session).conversation("unix", "unix:/tmp/app", "t").handle(request.data)
        assert is_ours(decode_reply(request, reply))
    finally:
        session.close()
    assert not is_ours({"success": True, "app_info": {"framework": "PyQt6"}})
    assert not is_ours(None)


def test_every_field_of_every_operation_is_in_the_sample():
    for kind in ops.OPERATIONS.values():
        made = sample(kind)
        assert all(getattr(made, row.name) is not None for row in fields(kind))
