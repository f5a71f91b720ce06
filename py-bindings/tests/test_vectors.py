"""Runs every shared case, byte for byte."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import relayed
from toolshape import (
    Shaped,
    Shaper,
    ToolshapeError,
    count_tokens,
    decode,
    decode_bytes,
    encode,
    expand,
    fits_tokens,
    handle_keys,
    infer_schema,
    infer_schema_json,
    truncate_to_tokens,
)
from toolshape.types import Returned

import vectors
from vectors import Case

Options = dict[str, Any]


def asked(case: Case) -> tuple[Options, Options]:
    """The options and the call of a case, as keyword arguments."""
    policy, call = case.get("policy") or {}, case.get("call") or {}
    if not (isinstance(policy, dict) and isinstance(call, dict)):
        pytest.skip("keyword arguments are always an object")
    return vectors.options(policy), vectors.keywords(call)


def shape(case: Case) -> tuple[str, Shaped]:
    options, call = asked(case)
    if "json" in case:
        given = vectors.spelled_out(case["json"])
        return given, Shaper(**options).shape_json(given, **call)
    given = vectors.spelled_out(case["text"])
    if "summary" in case:
        return given, Shaper(**options).summarize_text(given, **case["summary"], **call)
    return given, Shaper(**options).shape(given, **call)


def kept(case: Case, shaped: Shaped) -> dict[str, str]:
    """What is to be stored, under the name that its content has."""
    if shaped.keep is None:
        return {}
    if "cursorKey" not in case.get("policy", {}):
        assert shaped.keep.id == hashlib.sha256(shaped.keep.content.encode()).hexdigest()
    assert shaped.keep.key in handle_keys(shaped.keep.id)
    assert handle_keys(handle_of(shaped.keep.id)) == [shaped.keep.ticket]
    return {"keep": shaped.keep.key}


def handle_of(digest: str) -> str:
    """The handle of the content with an id: 16 letters for the id's first 128 bits."""
    number, letters = int(digest[:32], 16), ""
    for _ in range(16):
        number, letter = divmod(number, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def facts(case: Case, shaped: Shaped) -> dict[str, Any]:
    """The facts of a result that every face has to show."""
    is_counted(shaped)
    receipt = shaped.receipt
    return {
        "text": shaped.text,
        "unchanged": shaped.unchanged,
        "isError": shaped.is_error,
        "steps": receipt["steps"],
        "tokensBefore": receipt["tokens_before"],
        **kept(case, shaped),
    }


def is_counted(shaped: Shaped) -> None:
    """The tokens and bytes of a result follow from its text, so no case says them."""
    receipt = shaped.receipt
    assert shaped.tokens == receipt["tokens_after"] == count_tokens(shaped.text, receipt["encoding"])
    assert receipt["bytes"] == len(shaped.text.encode())


def compares(case: Case) -> None:
    expect = case["expect"]
    if "error" in expect:
        with pytest.raises(ToolshapeError) as raised:
            shape(case)
        assert raised.value.code == expect["error"]
        assert raised.value.path == vectors.pointer(expect["path"])
        return
    given, shaped = shape(case)
    assert facts(case, shaped) == {"text": given, **expect}


def shapes(case: Case) -> None:
    compares(case)
    if "json" in case and "error" not in case["expect"] and not case.get("spelling"):
        same_from_objects(case)


def same_from_objects(case: Case) -> None:
    """The same value as objects of Python's gives the same result."""
    expect = case["expect"]
    given = vectors.spelled_out(case["json"])
    value = json.loads(given)
    if isinstance(value, str):
        return  # It is shaped as text.
    options, call = asked(case)
    shaped = Shaper(**options).shape(value, **call)
    # Objects have no white space that could be left out, nor is it what they cost.
    assert shaped.receipt["steps"] == [step for step in expect["steps"] if step != "minify"]
    assert shaped.is_error == expect["isError"]
    assert (shaped.keep and shaped.keep.key) == expect.get("keep")
    if shaped.keep:
        assert shaped.keep.content == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if expect["unchanged"] and any(space in given for space in " \n"):
        assert shaped.text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    else:
        assert shaped.text == expect.get("text", given)
    is_counted(shaped)
    assert shaped.value is value if shaped.unchanged else shaped.value == json.loads(expand(shaped.text))


def from_rows(case: Case, rows: Any) -> tuple[Shaper, Case, Shaped]:
    shaper = Shaper(**vectors.options(case.get("policy", {})))
    call = vectors.keywords(case.get("call", {}))
    if "links" in case:
        mapping = {vectors.snake(name): value for name, value in case["links"].items()}
        return shaper, call, shaper.links(rows, mapping, **call)  # type: ignore[arg-type]
    return shaper, call, shaper.keyset_page(rows, **case["keyset"], **call)


def pages_rows(case: Case) -> None:
    if case.get("spelling"):
        return  # Objects have no spelling.
    expect = case["expect"]
    rows = json.loads(vectors.spelled_out(case["json"]))
    if "error" in expect:
        with pytest.raises(ToolshapeError) as raised:
            from_rows(case, rows)
        assert (raised.value.code, raised.value.path) == (expect["error"], expect.get("path", ""))
        return
    shaper, call, shaped = from_rows(case, rows)
    assert shaped.text == expect.get("text", vectors.spelled_out(case["json"]))
    assert (shaped.unchanged, shaped.is_error) == (expect["unchanged"], expect["isError"])
    assert shaped.receipt["steps"] == expect["steps"]
    is_counted(shaped)
    assert shaped.value is rows if shaped.unchanged else shaped.value == json.loads(expand(shaped.text))
    if "keyset" in case:
        cursor = shaped.value.get("nextCursor") if isinstance(shaped.value, dict) else None
        call.pop("cursor", None)
        after = expect["after"] and [json.loads(value) for value in expect["after"]]
        assert shaper.decode_keyset(cursor, **call) == after


def shapes_together(case: Case) -> None:
    given: list[Returned] = []
    for one in case["results"]:
        form, text = ("json", one["json"]) if "json" in one else ("value", one["text"])
        call = vectors.keywords(one.get("call", {}))
        given.append({form: vectors.spelled_out(text), "call": call})  # type: ignore[misc]
    shaper, expect = Shaper(**vectors.options(case.get("policy", {}))), case["expect"]
    if "error" in expect:
        with pytest.raises(ToolshapeError) as raised:
            shaper.shape_together(given, case.get("combinedTokens"))
        assert (raised.value.code, raised.value.path) == (expect["error"], vectors.pointer(expect["path"]))
        return
    results = shaper.shape_together(given, case.get("combinedTokens"))
    wanted = [{"text": one.get("json") or one.get("value"), **want} for one, want in zip(given, expect["results"])]
    assert [facts(case, shaped) for shaped in results] == wanted


def shapes_snapshot(case: Case) -> None:
    options, call = asked(case)
    _, first = shape(case)
    shaper, keep = Shaper(**options), first.keep
    cursor = re.search('ursor":"([^"]+)"', first.text)
    assert keep and cursor
    following = {name: value for name, value in call.items() if name != "store"} | {"cursor": cursor[1]}
    if case["expect"] == {"snapshot": None}:
        assert shaper.snapshot(**following) is None
        return
    assert shaper.snapshot(**following) == handle_of(keep.id)
    opened = shaper.open("snapshot", shaper.ticket(keep.key, None, **call), **following)
    assert opened and opened[0] == keep.key
    refused = shaper.shape_snapshot(keep.key, "", **following, forbidden=True)
    assert refused and refused.is_error and refused.value["error"] == "FORBIDDEN"
    assert shaper.shape_snapshot(keep.key, keep.content + " ", **following) is None
    shaped = shaper.shape_snapshot(keep.key, keep.content, **following)
    # The cursor alone leads ``read_result`` to the same.
    reading = {name: value for name, value in following.items() if name not in ("arguments", "own_arguments")}
    reading |= {"tool": "read_result", "returned_by": [following.get("tool", "")]}
    read = shaper.read_result(keep.key, keep.content, **reading)
    assert shaped
    same = "the same" if read.text == shaped.text else read.text
    assert {**facts(case, shaped), "read": same} == case["expect"]


def counts_tokens(case: Case) -> None:
    text, encoding, expect = vectors.spelled_out(case["text"]), case["encoding"], case["expect"]
    count = expect["count"]
    assert count_tokens(text, encoding) == count
    assert fits_tokens(text, count, encoding) == count
    if count:
        assert fits_tokens(text, count - 1, encoding) is None
    if encoding != "estimate":
        tokens = encode(text, encoding)
        assert tokens == expect.get("tokens", tokens)
        assert decode(tokens, encoding) == text
        assert decode_bytes(tokens, encoding) == text.encode()
    for side in ("head", "tail"):
        kept = truncate_to_tokens(text, count // 2, encoding, side)
        assert kept == expect[side] if side in expect else len(kept.encode()) == expect[f"{side}Bytes"]


def infers_schema(case: Case) -> None:
    given, expect = vectors.spelled_out(case["json"]), case["expect"]
    if "error" in expect:
        with pytest.raises(ToolshapeError) as raised:
            infer_schema_json(given)
        assert (raised.value.code, raised.value.path) == (expect["error"], expect["path"])
        return
    assert infer_schema_json(given) == json.loads(expect)
    if not case.get("spelling"):
        assert infer_schema(json.loads(given)) == json.loads(expect)


def held(number: str) -> float | str:
    """A number beyond all doubles is text."""
    return float(number) if math.isfinite(float(number)) else number


def reads_result(case: Case) -> None:
    content = vectors.spelled_out(case.get("json", case.get("text")))
    digest = hashlib.sha256(content.encode()).hexdigest()
    file = f"{digest}.{'json' if 'json' in case else 'txt'}"
    names = {
        "id": digest,
        "file": file,
        "handle": handle_of(digest),
        "address": f"toolshape://result/{handle_of(digest)}",
        "address of the id": f"toolshape://result/{digest}",
    }
    handle = case.get("handle", names[case.get("named", "id")])
    arguments = {**case.get("arguments", {}), "handle": handle}
    call = {"tool": "read_result", "arguments": arguments, **vectors.keywords(case.get("call", {}))}
    shaper = Shaper(**vectors.options(case.get("policy", {})))
    try:
        keys = shaper.read_keys(**call)
        if len(keys) == 1 and not case.get("absent"):
            assert keys == [f"{handle_of(digest)}.handle"]
            assert shaper.open("read", shaper.ticket(file, None), **call) == (file, [""])
            keys = [file, file]
        key = keys[0 if "json" in case else -1]
    except ToolshapeError as error:
        assert error.code in ("INVALID_HANDLE", "INVALID_CURSOR")
        shaped, refused = shaper.read_result(None, None, **call), shaper.refusal(error, **call)
        assert refused is not None and refused.text == shaped.text
    else:
        absent = case.get("absent")
        shaped = shaper.read_result(None if absent else key, None if absent else content, **call)
    if shaped.image is None:
        is_counted(shaped)
    seen = {
        "text": shaped.text,
        "unchanged": shaped.unchanged,
        "isError": shaped.is_error,
        "steps": shaped.receipt["steps"],
        **({"image": shaped.image} if shaped.image else {}),
    }
    assert seen == case["expect"]
    assert shaped.value == (content if shaped.unchanged else json.loads(expand(shaped.text), parse_float=held))


def summarizes(case: Case) -> None:
    options, call = asked(case)
    arguments, key, content = dict(case["arguments"]), None, None
    if isinstance(arguments.get("text"), dict):
        arguments["text"] = vectors.spelled_out(arguments["text"])
    if "json" in case or "text" in case:
        content = vectors.spelled_out(case.get("json", case.get("text")))
        digest = hashlib.sha256(content.encode()).hexdigest()
        key = f"{digest}.{'json' if 'json' in case else 'txt'}"
        arguments["handle"] = f"toolshape://result/{digest}"
        if case.get("absent"):
            key = content = None
    shaper, call = Shaper(**options), {**call, "tool": "summarize", "arguments": arguments}
    task = shaper.to_summarize(key, content, **call)
    if isinstance(task, Shaped):
        seen = facts(case, task)
        assert seen == {"text": content or arguments.get("text"), **case["expect"]}
        assert task.value == (task.text if task.unchanged else json.loads(expand(task.text)))
        return
    shaped = shaper.summarize_text(task["text"], **{**task["summary"], **case.get("own", {})}, **call)
    assert {**facts(case, shaped), "summary": task["summary"], "maxTokens": task["maxTokens"]} == case["expect"]


def rate_limits(case: Case) -> None:
    shaper = Shaper(**vectors.options(case.get("policy") or {}))
    shaped = shaper.rate_limit(case["error"], now=case["now"], **vectors.keywords(case["call"]))
    assert (shaped and {"text": shaped.text}) == case["expect"]
    if shaped:
        assert shaped.is_error and shaped.receipt["steps"] == ["rateLimit"]


def is_weighed(receipt: Any, result: Any) -> None:
    """The heavier of texts and structured content counts, each with the links of ours."""

    def spelled(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def text_of(block: dict[str, Any]) -> str | None:
        holder = block.get("resource", {}) if block["type"] == "resource" else block
        return holder.get("text") if block["type"] in ("text", "resource") else None

    blocks = result.get("content", [])
    links = [spelled(block) for block in blocks if block.get("uri", "").startswith("toolshape://result/")]
    texts = [text_of(block) or "" for block in blocks]
    # The tool's own links, and blocks that MCP does not have, are counted as a list of them is written.
    is_media = lambda block: "data" in block or "blob" in block.get("resource", {})  # noqa: E731
    data = [spelled(block) for block in blocks if text_of(block) is None and not is_media(block)]
    texts.append(",".join(block for block in data if block not in links))
    structured = [spelled(result["structuredContent"]), *links] if "structuredContent" in result else []
    channels = ([*texts, *links], structured)
    tokens = max(sum(count_tokens(text, receipt["encoding"]) for text in channel) for channel in channels)
    if any(block["type"] == "image" for block in blocks):
        # Images have tokens too, of which this knows nothing.
        assert receipt["tokens_after"] >= tokens
        return
    assert receipt["tokens_after"] == tokens
    assert receipt["bytes"] == max(sum(len(text.encode()) for text in channel) for channel in channels)


def shapes_result(case: Case) -> None:
    options, call = asked(case)
    text = vectors.spelled_out(case["returned"])
    value = json.loads(text)
    shaped = Shaper(**options).shape_result(value, **call)
    assert value == json.loads(text), "what the tool returned was changed"
    result = shaped.result
    if shaped.receipt is None:
        # Only what is taken out, such as a receipt that the tool wrote, makes another object of an MCP result.
        assert result is value or result != value or "content" not in value
    else:
        sent = result["_meta"]["toolshape/receipt"]
        assert {name.lower(): value for name, value in sent.items() if name != "reason"} == {
            name.replace("_", ""): value for name, value in shaped.receipt.items() if name != "reason"
        }
        is_weighed(shaped.receipt, result)
        apart = ("durationMs", "tokensAfter", "bytes")
        measured = {name: value for name, value in sent.items() if name not in apart}
        result = {**result, "_meta": {**result["_meta"], "toolshape/receipt": measured}}
    seen = {"unchanged": shaped.unchanged, "isError": shaped.is_error, "result": result}
    assert seen == case["expect"]


def lists_tool(case: Case) -> None:
    options, _ = asked(case)
    assert Shaper(**options).tool(case["tool"], has_store=case.get("store", False)) == case["expect"]


def describes_output(case: Case) -> None:
    shaper = Shaper(**vectors.options(case["policy"]))
    assert shaper.output_schema(case.get("tool")) == case["expect"]


def converses(case: Case) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names")
    if isinstance(case.get("store"), str):
        pytest.skip("no store of the command fails by order")
    relayed.run(case)


# What a file of vectors may name as its `runner`.
RUNNERS: dict[str, Callable[[Case], None]] = {
    "conversation": converses,
    "count_tokens": counts_tokens,
    "infer_schema": infers_schema,
    "keyset_page": pages_rows,
    "links": pages_rows,
    "output_schema": describes_output,
    "rate_limit": rate_limits,
    "read_result": reads_result,
    "read_result_sql": reads_result,
    "shape": shapes,
    "shape_result": shapes_result,
    "shape_snapshot": shapes_snapshot,
    "shape_together": shapes_together,
    "summarize": summarizes,
    "summarize_text": compares,
    "tool": lists_tool,
}
CASES = vectors.load(RUNNERS)


@pytest.mark.parametrize(("runner", "case"), [case[1:] for case in CASES], ids=[name for name, _, _ in CASES])
def test_case(runner: str, case: Case) -> None:
    RUNNERS[runner](case)


def test_cases_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    files = Counter(name.split(":")[0] for name, _, _ in CASES)
    with capsys.disabled():
        print("\nvectors in Python: " + ", ".join(f"{count} of {file}" for file, count in files.items()))


def test_a_loader_that_finds_nothing_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(vectors, "FOLDER", tmp_path)
    with pytest.raises(LookupError, match="no vectors in"):
        vectors.load(RUNNERS)


def test_a_file_that_names_an_unknown_runner_fails() -> None:
    with pytest.raises(LookupError, match="calls: runner shape is none of none"):
        vectors.load(["none"])


SUMMARIES = [
    (name, case)
    for name, _, case in CASES
    if name.startswith(("series: ", "grids: ")) and case["expect"].get("text", "").startswith('{"output":')
]


@pytest.mark.parametrize("case", [case for _, case in SUMMARIES], ids=[name for name, _ in SUMMARIES])
def test_results_are_as_their_schema_says(case: Case) -> None:
    value = json.loads(case["expect"]["text"])
    shaper = Shaper(**{value["kind"]: {}})
    schema = shaper.output_schema()
    assert schema is not None
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(value, schema, jsonschema.Draft202012Validator)
