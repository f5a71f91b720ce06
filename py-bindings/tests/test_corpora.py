"""Large results of others, offloaded and rebuilt: from the store, and by an archive's ``read_result`` alone."""

from __future__ import annotations

import json
import os
import random
import re
import time
from pathlib import Path
from typing import Any

import machine
import pytest
from conftest import Tables, wait
from stored_reader import Reader
from toolshape import Archive, FileStore, Shaped, Shaper, count_tokens

pytestmark = machine.needed

BUDGET = 2000
FILES = {
    "twitter.json": "simdjson/jsonexamples/twitter.json",
    "citm_catalog.json": "simdjson/jsonexamples/citm_catalog.json",
    "canada.json": "simdjson/jsonexamples/canada.json",
    "package document of 20 MB": "@mdn/browser-compat-data/data.json",
}

# What is read of it by calls, each of which reads, checks and parses the file. TOOLSHAPE_LONG=1 has all of it read so.
PARTS = {"package document of 20 MB": "/http"}


def log(size: int) -> str:
    """A log of this many bytes, the same each time: services that go about their work, warnings, stack traces."""
    rng = random.Random(5)
    lines: list[str] = []
    written, now = 0, 1_763_600_000.0
    while written < size:
        now += rng.expovariate(20)
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"
        service = rng.choice(["api", "worker-1", "worker-2", "scheduler", "größe-service"])
        request = f"{rng.getrandbits(64):016x}"
        kind = rng.random()
        if kind < 0.7:
            path = rng.choice(["/v1/articles", "/v1/users/17", "/healthz", "/v1/search?q=caf%C3%A9"])
            text = f"{at} INFO  [{service}] {request} GET {path} 200 {rng.randrange(400)}ms {rng.randrange(90_000)}B"
        elif kind < 0.85:
            text = (
                f"{at} \x1b[33mWARN\x1b[0m  [{service}] {request} retry {rng.randrange(1, 5)} after {rng.random():.3f}s"
            )
        elif kind < 0.98:
            text = f'{at} DEBUG [{service}] {{"request":"{request}","user":"日本語 👩‍👩‍👧","took":{rng.random()}}}'
        else:
            frames = "".join(
                f"\n    at handler{i} (/srv/app/src/{service}.js:{rng.randrange(900)}:9)" for i in range(12)
            )
            text = f"{at} ERROR [{service}] {request} TypeError: cannot read properties of undefined{frames}"
        lines.append(text + ("\r\n" if rng.random() < 0.01 else "\n"))
        written += len(lines[-1].encode("utf-8"))
    return "".join(lines)


def minified(text: str) -> str:
    """JSON without the white space between its parts, every part spelled as it was."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|[ \n\r\t]+', lambda found: found[1] or "", text)


class ArchiveReader(Reader):
    """A reader that has an archive to ask, and a handle."""

    def __init__(self, archive: Archive, handle: str) -> None:
        self._archive = archive
        self._handle = handle
        self.calls = 0

    def ask(self, **arguments: Any) -> Shaped:
        self.calls += 1
        shaped = wait(self._archive.read_result({"handle": self._handle, **arguments}))
        assert not shaped.is_error and count_tokens(shaped.text) <= BUDGET, f"{arguments}: {shaped.text}"
        return shaped


@pytest.mark.parametrize("name", [*FILES, "log of 5 MB"])
def test_offloaded_and_rebuilt(name: str, tmp_path: Path, tables: Tables) -> None:
    is_json = name in FILES
    given = (Path(machine.given("TOOLSHAPE_DOCUMENTS")) / FILES[name]).read_text("utf-8") if is_json else log(5_000_000)
    whole = minified(given) if is_json else given
    store = FileStore(tmp_path / "store")
    archive = Archive(Shaper(max_tokens=BUDGET, overflow="offload"), store)
    start = time.perf_counter()
    shaped = wait(archive.shape_json(given) if is_json else archive.shape(given))
    offloaded = time.perf_counter() - start
    assert shaped.value["offloaded"] and shaped.tokens <= BUDGET
    assert (tmp_path / "store" / shaped.value["filename"]).read_bytes() == whole.encode("utf-8")
    assert store.get(shaped.value["filename"]) == whole

    reader = ArchiveReader(archive, shaped.value["uri"])
    start = time.perf_counter()
    part = "" if "TOOLSHAPE_LONG" in os.environ else PARTS.get(name, "")
    if part:
        assert json.loads(reader.rebuild_json(part)) == json.loads(given)[part[1:]]
    else:
        is_same = (reader.rebuild_json() if is_json else reader.rebuild_text()) == whole
        assert is_same, "a comparison of texts so large would take hours to print"
    rebuilt = time.perf_counter() - start
    bytes_, calls = f"{len(whole.encode()):,}", f"{reader.calls:,}"
    row = (name, bytes_, f"{offloaded:.2f}", f"{shaped.tokens}", part or "all", calls, f"{rebuilt:.1f}")
    tables.row("offloaded, and rebuilt byte for byte", HEAD, row)


HEAD = ("result", "bytes", "s to offload", "tokens shown", "read_result", "calls of 2,000 tokens", "s to rebuild")
