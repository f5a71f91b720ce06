"""Documents of others: rebuilt through ``read_result`` alone, and their schemas compared with those of genson."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from genson import SchemaBuilder
from jsonschema import Draft202012Validator
from stored_reader import Reader
from toolshape import Shaper, infer_schema, infer_schema_json

pytestmark = pytest.mark.documents

FILES = {
    "twitter.json": "simdjson/jsonexamples/twitter.json",
    "citm_catalog.json": "simdjson/jsonexamples/citm_catalog.json",
    "canada.json": "simdjson/jsonexamples/canada.json",
    "gsoc-2018.json": "simdjson/jsonexamples/gsoc-2018.json",
    "browser-compat-data": "@mdn/browser-compat-data/data.json",
}
# Some ten thousand calls, which take minutes: rebuilt whole where that is asked for, and in part by test_corpora.
LARGE = "browser-compat-data"
REBUILT = [name for name in FILES if name != LARGE or os.environ.get("TOOLSHAPE_LONG")]
# Ours is bounded: an object of more keys is a map, and so are the largest objects of a schema of more properties.
MOST_KEYS = 200
MOST_PROPERTIES = 2_000


def read(name: str) -> str:
    folder = os.environ.get("TOOLSHAPE_DOCUMENTS")
    assert folder, "cargo xtask test reading-python says where the documents are"
    return Path(folder, FILES[name]).read_text("utf-8")


def stored(shaper: Shaper, value: str, *, is_json: bool) -> tuple[str, str]:
    """What a store gets of a result, and under which name."""
    shaped = shaper.shape_json(value, store=True) if is_json else shaper.shape(value, store=True)
    assert shaped.keep is not None
    return shaped.keep.key, shaped.keep.content


def log(megabytes: int) -> str:
    """A log, made up: no package carries one of this size."""
    levels = ["INFO"] * 20 + ["WARN", "ERROR"]
    lines, size, at = [], 0, 0
    while size < megabytes * 1_000_000:
        line = (
            f"2026-11-20T{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}Z {levels[at % 22]} "
            f"worker-{at % 7} request {at:08x} to /api/articles/{at * 7919 % 10_000} took {at * 31 % 997} ms\n"
        )
        lines.append(line)
        size += len(line)
        at += 1
    return "".join(lines)


def check_rebuilt(name: str, value: str, *, is_json: bool) -> None:
    shaper = Shaper(max_tokens=2000)
    key, content = stored(shaper, value, is_json=is_json)
    reader = Reader(shaper, key, content)
    started = time.perf_counter()
    is_same = (reader.rebuild_json() if is_json else reader.rebuild_text()) == content
    assert is_same, "a comparison of texts so large would take hours to print"
    seconds = time.perf_counter() - started
    assert reader.most_tokens <= 2000
    print(f"\n{name}: {len(content)} characters in {reader.calls} calls, {seconds:.1f} s")


@pytest.mark.parametrize("name", REBUILT)
def test_a_document_is_rebuilt_through_answers_that_fit(name: str) -> None:
    check_rebuilt(name, read(name), is_json=True)


def test_a_log_is_rebuilt_through_answers_that_fit() -> None:
    check_rebuilt("a log", log(5), is_json=False)


@pytest.mark.parametrize("name", FILES)
def test_schemas_accept_what_they_describe_and_are_as_tight_as_gensons(name: str) -> None:
    text = read(name)
    value = json.loads(text)
    started = time.perf_counter()
    ours = infer_schema_json(text)
    milliseconds = (time.perf_counter() - started) * 1000
    assert infer_schema(value) == ours
    builder = SchemaBuilder()
    builder.add_object(value)
    theirs = builder.to_schema()
    Draft202012Validator.check_schema(ours)
    if len(text) < 5_000_000:
        Draft202012Validator(ours).validate(value)
        Draft202012Validator(theirs).validate(value)
    looser: list[str] = []
    is_large = properties(theirs) > MOST_PROPERTIES
    compare(ours, theirs, "", looser, is_large=is_large)
    print(
        f"\n{name}: schema of {len(json.dumps(ours))} characters in {milliseconds:.0f} ms, genson's {len(json.dumps(theirs))}"
    )
    assert looser == []


def branches(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas of which genson makes an ``anyOf``, one for each type that has more to say."""
    return schema.get("anyOf", [schema])


def types(schema: dict[str, Any]) -> set[str]:
    """The types that a schema allows; all of them where it names none."""
    found: set[str] = set()
    for branch in branches(schema):
        kind = branch.get("type")
        found |= {kind} if isinstance(kind, str) else set(kind or ALL_TYPES)
    return found | {"integer"} if "number" in found else found


ALL_TYPES = ["object", "array", "string", "number", "boolean", "null"]


def properties(schema: dict[str, Any]) -> int:
    """How many properties a schema of genson's has in all."""
    count = 0
    for branch in branches(schema):
        below = [*branch.get("properties", {}).values(), *([branch["items"]] if "items" in branch else [])]
        count += len(branch.get("properties", {})) + sum(properties(schema) for schema in below)
    return count


def compare(ours: dict[str, Any], theirs: dict[str, Any], at: str, looser: list[str], *, is_large: bool) -> None:
    """Notes where our schema allows what genson's does not, except for maps, which the bound makes."""
    if extra := types(ours) - types(theirs):
        looser.append(f"{at}: {extra}")
    for branch in branches(theirs):
        if "items" in branch:
            if "items" in ours:
                compare(ours["items"], branch["items"], f"{at}/items", looser, is_large=is_large)
            else:
                looser.append(f"{at}: no items")
        if "additionalProperties" in ours:
            if not is_large and len(branch.get("properties", {})) <= MOST_KEYS:
                looser.append(f"{at}: a map without need")
            continue
        for key, schema in branch.get("properties", {}).items():
            if key in ours.get("properties", {}):
                compare(ours["properties"][key], schema, f"{at}/{key}", looser, is_large=is_large)
            else:
                looser.append(f"{at}: no {key}")
        if missing := set(branch.get("required", [])) - set(ours.get("required", [])):
            looser.append(f"{at}: not required {missing}")
