"""What a tool answers, and the result of tools/call that is made of it. Runs no operation."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ...model.errors import DeskhandError
from ...model.node import Image
from ..jsontext import dumps
from .errors import ACTION_FAILED, TIMEOUT, code_of, message_of, reason_of, to_mcp
from .snapshot import UNTRUSTED

_META: Mapping[str, Any] = {"deskhand/untrusted": True}
"""For programs, what the texts say to models: whatever is in a result may be text of other people."""

Parts = Literal["structured", "content", "both"]
"""What results consist of. `structured`: the contract's JSON, with texts next to it, for programs. `content`:
what a model reads, and no JSON. `both`: the latter with the former. A screenshot is in one part only: in the
content if that is for a model."""


class Answer(NamedTuple):
    """What a tool found out: the contract's output, and what a model reads of it."""

    output: dict[str, Any]
    texts: Sequence[str] = ()
    """Instead of the output as JSON."""
    image: Image | None = None
    error: DeskhandError | None = None
    """It went wrong, and there is something to tell nevertheless."""


def with_image(output: dict[str, Any], image: Image) -> Answer:
    return Answer(output, (dumps(output).decode(), UNTRUSTED), image)


def result_of(answer: Answer, parts: Parts) -> dict[str, Any]:
    texts = answer.texts or (dumps(answer.output, str).decode(), UNTRUSTED)
    content: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    output = answer.output
    if answer.image is not None:
        data = base64.b64encode(answer.image.png).decode("ascii")
        if parts == "structured":
            output = {**output, "dataBase64": data}
        else:
            content.insert(1, {"type": "image", "data": data, "mimeType": "image/png"})
    if answer.error is None:
        structured = {"output": output}
        return {"content": content, "structuredContent": structured, "isError": False, "_meta": _META}
    result = failure_of(answer.error)
    result["content"] += content
    result["structuredContent"]["output"] = output
    return result


def failure_of(error: DeskhandError) -> dict[str, Any]:
    described = to_mcp(error)
    return {
        "content": [{"type": "text", "text": f"{described['message']} ({described['code']})"}],
        "structuredContent": {"error": described},
        "isError": True,
        "_meta": _META,
    }


def without_image(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result as it is logged: of an image only how long it is."""
    structured = result["structuredContent"]
    output = structured.get("output", {})
    if "dataBase64" in output:
        output = {**output, "dataBase64": _length(output["dataBase64"])}
        structured = {**structured, "output": output}
    content = [
        {**block, "data": _length(block["data"])} if block["type"] == "image" else block
        for block in result["content"]
    ]
    return {**result, "content": content, "structuredContent": structured}


def _length(data: str) -> str:
    return f"({len(data)} characters)"


def done(output: Mapping[str, Any]) -> str:
    """The results of actions for a model: the first failure is the error of the call, which says why."""
    results = output["results"]
    waits = "" if output.get("idle", True) else "; the app was not idle yet"
    if all(result["ok"] for result in results):
        return f"done: {', '.join(result['type'] for result in results) or 'nothing'}{waits}"
    first = next(at for at, result in enumerate(results) if not result["ok"])
    texts = []
    for at, result in enumerate(results):
        said = "done" if result["ok"] else "not run" if result.get("skipped") else "failed"
        why = f": {result['error']}" if said == "failed" and at != first else ""
        texts.append(f"{at} {result['type']} {said}{why}")
    return "; ".join(texts) + waits


def first_failure(
    failed: Sequence[tuple[int, DeskhandError]], results: Sequence[dict[str, Any]]
) -> DeskhandError | None:
    """The error of a call in which actions failed: it names the first, and has the results of all."""
    if not failed:
        return None
    at, error = failed[0]
    code = TIMEOUT if code_of(error) == TIMEOUT else ACTION_FAILED
    skipped = sum(result.get("skipped", False) for result in results)
    more = f"; {len(failed) - 1} more failed" if len(failed) > 1 else ""
    more += f"; {skipped} after it {'was' if skipped == 1 else 'were'} not run" if skipped else ""
    return DeskhandError(
        f"action {at} ({results[at]['type']}) failed: {message_of(error)}{more}",
        mcp_code=code,
        index=at,
        type=results[at]["type"],
        reason=reason_of(error),
        results=list(results),
    )
