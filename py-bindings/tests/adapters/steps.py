"""Runs the steps of a row of ``docs/behaviours.json`` and compares what comes of each, as ``vectors/README.md``
explains."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from jsonschema import Draft202012Validator
from toolshape import count_tokens

import vectors
from adapters.clients import Peer
from adapters.results import compact, every_row, next_of, on_the_wire, output_text, plain, reply, rows_of, structured
from adapters.setting import Setting
from adapters.table import BUDGET, SHARED

Outcome = Any
Seen = dict[str, Outcome]


async def try_row(steps: list[dict[str, Any]], setting: Setting) -> None:
    """Tries a row in a column, with clients of its servers."""
    seen: Seen = {}
    for step in steps:
        if not setting.column.is_meant_by(step.get("where", {})):
            continue
        for more in step.get("each", [{}]):
            about = compact({**step, **({"each": [more]} if more else {})})[:300]
            outcome = await outcome_of(step, more, setting, seen)
            if "as" in step:
                seen[step["as"]] = outcome
            if "fits" in step:
                fits(outcome, BUDGET if step["fits"] is True else evaluated(step["fits"], seen), about)
            for pointer, relation, *wanted in step.get("expect", []):
                value, expected = at(outcome, pointer), [evaluated(one, seen) for one in wanted]
                assert relation in RELATIONS, f"{relation} is not a relation: {about}"
                assert RELATIONS[relation](value, *expected), f"{pointer} {relation} in {about}\n{value!r:.500}"


async def outcome_of(step: dict[str, Any], more: dict[str, Any], setting: Setting, seen: Seen) -> Outcome:
    peers = {"client": setting.peer, "naive": setting.naive, "bare": setting.bare}
    peer = peers[step.get("of", "client")]
    if "call" in step:
        arguments = {**evaluated(step.get("args", {}), seen), **more}
        return await called(peer, step["call"], arguments, is_reported="progress" in step)
    if "tools" in step:
        return listed({name: on_the_wire(tool) for name, tool in (await peers[step["tools"]].tools()).items()})
    if "templates" in step:
        return {"templates": await peers[step["templates"]].templates()}
    if "resource" in step:
        return await resource(peer, evaluated(step["resource"], seen))
    if "everyRow" in step:
        read = structured if step.get("read") == "structured" else reply
        ids = await every_row(peer, step["everyRow"], step["count"], read)
        assert ids == list(range(step["count"]))
        return {"ids": ids}
    return evaluated(step["value"], seen)


async def called(peer: Peer, name: str, arguments: dict[str, Any], *, is_reported: bool) -> Outcome:
    progress: list[float] = []
    before = len(peer.questions)
    try:
        if is_reported:
            progress, result = await peer.progress_of(name, **arguments)
        else:
            result = await peer.call(name, **arguments)
    except Exception as error:
        return {"isRefused": True, "text": str(error)}
    content = [on_the_wire(block) for block in result.content]
    channels = {"content": content, "structuredContent": result.structured_content, "isError": bool(result.is_error)}
    meta = result.meta or {}
    outcome = {
        "isRefused": bool(result.is_error),
        "channels": channels,
        "types": [block["type"] for block in content],
        "others": [block for block in content if block["type"] != "text"],
        "links": [block for block in content if block.get("uri", "").startswith("toolshape://result/")],
        "meta": meta,
        "receipt": meta.get("toolshape/receipt"),
        "text": output_text(result),
        "bytes": len(output_text(result).encode()),
        "progress": progress,
        "questions": peer.questions[before:],
    }
    if result.structured_content is not None:
        outcome["structured"] = plain(structured(result))
    return read_in(outcome)


def read_in(outcome: dict[str, Any]) -> Outcome:
    """With what a text holds, if it is JSON."""
    try:
        value = outcome["json"] = plain(json.loads(outcome["text"]))
    except ValueError:
        return outcome
    if isinstance(value, dict):
        outcome["next"] = next_of(value)
        if "items" in value:
            outcome["rows"] = rows_of(value)
    return outcome


def listed(tools: dict[str, dict[str, Any]]) -> Outcome:
    schemas = ("inputSchema", "outputSchema")
    return {
        "tools": tools,
        "names": list(tools),
        "withoutSchemas": {
            name: {key: member for key, member in tool.items() if key not in schemas} for name, tool in tools.items()
        },
        "invalidSchemas": [
            name for name, tool in tools.items() if not all(is_schema(tool.get(schema, {})) for schema in schemas)
        ],
    }


def is_schema(schema: Any) -> bool:
    try:
        Draft202012Validator.check_schema(schema)
    except Exception:
        return False
    return True


async def resource(peer: Peer, uri: str) -> Outcome:
    try:
        contents = await peer.read(uri)
    except Exception as error:
        code = getattr(getattr(error, "error", error), "code", None)
        return {"isRefused": True, "text": str(error), "code": code}
    return read_in({"isRefused": False, "uri": str(contents[0].uri), "text": contents[0].text})


def fits(outcome: Outcome, budget: int, about: str) -> None:
    """Each channel is within the budget, our links included."""

    def weight(value: Any) -> int:
        return count_tokens(value if isinstance(value, str) else compact(value))

    others = sum(weight(link) for link in outcome.get("links", []))
    assert outcome["text"] and weight(outcome["text"]) + others <= budget, about
    value = outcome.get("channels", {}).get("structuredContent")
    assert value is None or weight(value) + others <= budget, about


def at(value: Any, pointer: str) -> Any:
    """The value at a JSON Pointer, where -1 is the last item; ``None`` for nothing."""
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(key)] if -len(value) <= int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def evaluated(value: Any, seen: Seen) -> Any:
    """What a value of the data means."""
    if isinstance(value, str):
        return vectors.put_in(value)
    if isinstance(value, list):
        return [evaluated(item, seen) for item in value]
    if not isinstance(value, dict):
        return value
    key, of = next(iter(value.items()), ("", None))
    match key:
        case "$ref":
            name, slash, pointer = of.partition("/")
            return at(seen[name], slash + pointer)
        case "$policy":
            return at(SHARED["policy"], of)
        case "$rows":
            return [{"id": id, "name": f"the row of number {id}"} for id in range(*of)]
        case "$repeat":
            return "".join(of[0].replace("${i}", str(index)) for index in range(of[1]))
        case "$concat":
            return vectors.put_in("".join(str(part) for part in evaluated(of, seen)))
        case "$length":
            return len(evaluated(of, seen))
        case "$compact":
            return compact(evaluated(of, seen))
        case "$add":
            return sum(evaluated(of, seen))
        case "$with":
            return {key: member for part in evaluated(of, seen) for key, member in part.items()}
    return {key: evaluated(member, seen) for key, member in value.items()}


def is_same(value: Any, wanted: Any) -> bool:
    return bool(value == wanted and isinstance(value, bool) == isinstance(wanted, bool))


RELATIONS: dict[str, Callable[..., bool]] = {
    "is": is_same,
    "equals except in properties": lambda value, wanted: {**value, "properties": 0} == {**wanted, "properties": 0},
    "absent": lambda value: value is None,
    "includes": lambda value, wanted: all(value[key] == member for key, member in wanted.items()),
    "has keys": lambda value, wanted: list(value) == wanted,
    "has length": lambda value, wanted: len(value) == wanted,
    "keeps the order of": lambda value, wanted: [name for name in value if name in wanted] == wanted,
    "contains": lambda value, wanted: wanted in value,
    "lacks": lambda value, wanted: wanted not in value,
    "matches": lambda value, wanted: re.search(wanted, value) is not None,
    "starts with": lambda value, wanted: value.startswith(wanted),
    "is over": lambda value, wanted: value > wanted,
    "is under": lambda value, wanted: value < wanted,
    "is at most": lambda value, wanted: value <= wanted,
    "is valid by": lambda value, wanted: Draft202012Validator(wanted).is_valid(value),
    "is invalid by": lambda value, wanted: not Draft202012Validator(wanted).is_valid(value),
}
