"""Documents of others, rebuilt through ``read_result`` alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from stored_reader import Reader
from toolshape import Shaper

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
