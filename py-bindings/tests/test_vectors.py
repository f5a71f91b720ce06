"""Replays what Rust was asked for every shared case, by the functions that users call: the answers are the same, byte for byte.

A value of Python gives what its JSON text gave.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
import relayed
from conftest import wait
from toolshape import (
    Archive,
    Shaped,
    ShapedResult,
    Shaper,
    ToolshapeError,
    count_tokens,
    decode,
    encode,
    expand,
    fits_tokens,
    truncate_to_tokens,
)
from toolshape import _toolshape as core

import vectors
from vectors import Case

TRANSCRIPT = Path(
    os.environ.get("TOOLSHAPE_TRANSCRIPT") or Path(__file__).parents[2] / "target/vectors/transcript.jsonl"
)


class Asked:
    """A call of a method in the transcript, as Python makes it."""

    def __init__(self, line: dict[str, Any]) -> None:
        self.request: dict[str, Any] = line["request"]
        self.texts: list[Any] = line["texts"]
        self.call = vectors.keywords(self.request.get("call") or {})

    def __getitem__(self, name: str) -> Any:
        return self.request.get(name)

    def text(self, name: str) -> Any:
        """The text that a member names, if there is one."""
        return self.texts[self.request[name] - 1] if name in self.request else None

    def value(self, name: str) -> Any:
        return json.loads(self.text(name))


def shapes_together(shaper: Shaper, asked: Asked) -> list[Shaped]:
    given = [Asked({"request": one, "texts": asked.texts}) for one in asked["results"]]
    results = [
        {**({"json": one.text("json")} if "json" in one.request else {"value": one.text("text")}), "call": one.call}
        for one in given
    ]
    return shaper.shape_together(results, asked["combinedTokens"])  # type: ignore[arg-type]


def of_stored(shaper: Shaper, asked: Asked) -> Any:
    members = {name: value for name, value in asked.request.items() if name not in ("method", "shaper", "content")}
    texts = {"content": asked.text("content")}
    return core.call(asked["method"], shaper, texts=texts, **{**members, "call": asked.call})


def reads_sql(shaper: Shaper, asked: Asked) -> Any:
    [table] = asked["tables"]
    stored = {table["key"]: asked.texts[0]}
    name = table["handle"].removeprefix("toolshape://result/")
    if re.fullmatch("[a-z]{16}", name):
        stored[f"{name}.handle"] = core.call("ticket", shaper, key=table["key"], call={})
    store = SimpleNamespace(get=stored.get, set=lambda *_: None, delete=lambda _: None)
    return wait(Archive(shaper, store).read_result(asked.call["arguments"]))


def steps_session(shaper: Shaper, asked: Asked) -> Any:
    texts = {"texts": [asked.texts[at - 1] for at in asked["texts"]]} if "texts" in asked.request else {}
    members = {
        name: value for name, value in asked.request.items() if name not in ("method", "shaper", "texts", "call")
    }
    call = {"call": asked.call} if "call" in asked.request else {}
    return core.call(asked["method"], shaper, texts=texts, **members, **call)


OF_SHAPER: dict[str, Callable[[Shaper, Asked], Any]] = {
    "decodeKeyset": lambda shaper, asked: shaper.decode_keyset(asked["cursor"], **asked.call),
    "keep": steps_session,
    "keysetPage": lambda shaper, asked: shaper.keyset_page(asked.value("rows"), **asked["keyset"], **asked.call),
    "links": lambda shaper, asked: shaper.links(
        asked.value("rows"),
        vectors.keywords(asked["links"]),
        **asked.call,  # type: ignore[arg-type]
    ),
    "outputSchema": lambda shaper, asked: shaper.output_schema(asked["tool"]),
    "rateLimit": lambda shaper, asked: shaper.rate_limit(asked["error"], now=asked["now"], **asked.call),
    "read": steps_session,
    "readSql": reads_sql,
    "refusal": lambda shaper, asked: shaper.refusal(ToolshapeError(**asked["error"]), **asked.call),
    "shapeJson": lambda shaper, asked: shaper.shape_json(asked.text("text"), **asked.call),
    "shapeResult": lambda shaper, asked: shaper.shape_result(asked.value("returned"), **asked.call),
    "shapeText": lambda shaper, asked: shaper.shape(asked.text("text"), **asked.call),
    "shapeTogether": shapes_together,
    "summarizeText": lambda shaper, asked: shaper.summarize_text(
        asked.text("text"), **vectors.keywords(asked["summary"] or {}), **asked.call
    ),
    "ticket": of_stored,
    "toSummarize": lambda shaper, asked: shaper.to_summarize(asked["key"], asked.text("content"), **asked.call),
    "tool": lambda shaper, asked: shaper.tool(asked["tool"], has_store=asked["hasStore"]),
}

ALONE: dict[str, Callable[[Asked], Any]] = {
    "countTokens": lambda asked: count_tokens(asked.text("text"), asked["encoding"]),
    "decode": lambda asked: decode(asked.text("tokens"), asked["encoding"]),
    "encode": lambda asked: encode(asked.text("text"), asked["encoding"]),
    "fitsTokens": lambda asked: fits_tokens(asked.text("text"), asked["limit"], asked["encoding"]),
    "shaper": lambda asked: Shaper(**vectors.options(asked["policy"])),
    "truncateToTokens": lambda asked: truncate_to_tokens(
        asked.text("text"), asked["limit"], asked["encoding"], asked["side"]
    ),
}

# What the answer of a method is in Python, where it is not as it is written.
PARSED = {
    "decodeKeyset": lambda keys: keys and [json.loads(key) for key in keys],
}


def replay(lines: list[dict[str, Any]]) -> None:
    shapers: dict[int, Shaper] = {}
    for line in lines:
        if not all(isinstance(line["request"].get(name) or {}, dict) for name in ("policy", "call")):
            pytest.skip("keyword arguments are always an object")
        asked = Asked(line)
        method = asked["method"]
        if line["spelling"] and method in ("keysetPage", "links", "decodeKeyset"):
            continue  # Rows are values of the host here.
        try:
            answer = ALONE[method](asked) if method in ALONE else OF_SHAPER[method](shapers[asked["shaper"]], asked)
        except ToolshapeError as error:
            seen = {"code": error.code, "path": error.path}
            wanted = {"code": line["error"]["code"], "path": vectors.pointer(line["error"]["path"])}
            assert seen == wanted, method
            continue
        assert "error" not in line, method
        if method == "shaper":
            shapers[line["result"]] = answer
            continue
        wanted = PARSED.get(method, lambda result: result)(line["result"])
        for one in wanted if isinstance(wanted, list) else [wanted]:
            for shaped in (one, one.get("done")) if isinstance(one, dict) else ():
                if isinstance(shaped, dict) and shaped.get("receipt"):
                    shaped["receipt"].pop("reason", None)
        if method in ("keysetPage", "links"):
            assert of_value(said(answer)) == of_value(wanted), method
        else:
            assert said(answer) == (parsed(asked, wanted) if method == "shapeResult" else wanted), method
        if line["spelling"]:
            continue
        if method == "shapeJson" and not isinstance(asked.value("text"), str):
            same_from_value(shapers[asked["shaper"]], asked, wanted)


def same_from_value(shaper: Shaper, asked: Asked, wanted: dict[str, Any]) -> None:
    """The same value as objects of Python's gives the same result."""
    value = asked.value("text")
    shaped = shaper.shape(value, **asked.call)
    assert of_value(said(shaped)) == of_value(wanted)
    if shaped.unchanged:
        assert shaped.value is value
        assert shaped.text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    else:
        assert shaped.value == json.loads(expand(shaped.text))


def of_value(shown: dict[str, Any]) -> dict[str, Any]:
    """Of values of Python: they have no white space that could be left out, nor is it what they cost."""
    steps = [step for step in shown["receipt"]["steps"] if step != "minify"]
    text = shown["text"] if steps else ""
    return {"text": text, "isError": shown["isError"], "steps": steps, "keep": shown["keep"] and shown["keep"]["key"]}


def parsed(asked: Asked, wanted: dict[str, Any]) -> dict[str, Any]:
    """A result, which is an object here."""
    result = wanted["result"]
    return {**wanted, "result": asked.value("returned") if result is None else json.loads(result)}


def said(answer: Any) -> Any:
    """An answer in the form of the transcript."""
    if isinstance(answer, list):
        return [said(one) for one in answer]
    if isinstance(answer, dict):
        names = {"done": said, "texts": lambda texts: [list(text) for text in texts]}
        return {name: names[name](value) if name in names else value for name, value in answer.items()}
    if not isinstance(answer, (Shaped, ShapedResult)):
        return answer
    shown = {"unchanged": answer.unchanged, "isError": answer.is_error, "keep": kept(answer.keep)}
    shown["receipt"] = answer.receipt and measured(answer.receipt)
    if isinstance(answer, Shaped):
        return {**shown, "text": answer.text, **({"image": answer.image} if answer.image else {})}
    result, meta = answer.result, answer.result.get("_meta", {})
    if "toolshape/receipt" in meta:
        receipt = {name: value for name, value in meta["toolshape/receipt"].items() if name != "durationMs"}
        result = {**result, "_meta": {**meta, "toolshape/receipt": receipt}}
    return {**shown, "result": result}


def measured(receipt: Any) -> dict[str, Any]:
    """A receipt as it is in ``_meta``, without its duration, and without its reason, which names options."""
    apart = ("durationMs", "reason")
    return {
        name: value for name, value in ((vectors.camel(name), receipt[name]) for name in receipt) if name not in apart
    }


def kept(keep: Any) -> dict[str, Any] | None:
    if keep is None:
        return None
    names = ("id", "key", "ticket", "owner", "content", "about")
    images = {"images": kept(keep.images)} if keep.images else {}
    return {name: getattr(keep, name) for name in names} | images


def cases() -> dict[str, list[dict[str, Any]]]:
    """The calls of each case by its name."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in TRANSCRIPT.read_text("utf-8").rstrip("\n").split("\n"):
        one = json.loads(line)
        found.setdefault(one["case"], []).append(one)
    return found


CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    replay(CASES[name])


def test_cases_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    files = Counter(name.split(":")[0] for name in CASES)
    with capsys.disabled():
        print("\nvectors in Python: " + ", ".join(f"{count} of {file}" for file, count in files.items()))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in vectors.cases_of("relay")])
def test_conversation(case: Case) -> None:
    if isinstance(case.get("store"), str):
        pytest.skip("no store of the command fails by order")
    relayed.run(case)


SUMMARIES = [
    (name, line["result"]["text"])
    for name, lines in CASES.items()
    for line in lines
    if name.startswith(("series: ", "grids: "))
    and line["request"]["method"] == "shapeJson"
    and line.get("result", {}).get("text", "").startswith('{"output":')
]


@pytest.mark.parametrize("text", [text for _, text in SUMMARIES], ids=[name for name, _ in SUMMARIES])
def test_results_are_as_their_schema_says(text: str) -> None:
    value = json.loads(text)
    schema = Shaper(**{value["kind"]: {}}).output_schema()
    assert schema is not None
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(value, schema, jsonschema.Draft202012Validator)
