"""Large results of others, offloaded and rebuilt: from the store, and from nothing but what ``read_result`` answers."""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from pathlib import Path

import machine
import pytest
from conftest import Tables
from reader import Reader, members

from toolshape import Archive, FileStore, Shaped, Shaper, count_tokens

pytestmark = machine.needed

BUDGET = 2000
FILES = {
    "twitter.json": "simdjson/jsonexamples/twitter.json",
    "citm_catalog.json": "simdjson/jsonexamples/citm_catalog.json",
    "canada.json": "simdjson/jsonexamples/canada.json",
    "package document of 20 MB": "@mdn/browser-compat-data/data.json",
}

# What is read of it: each call reads all 20 MB, which takes an hour. TOOLSHAPE_LONG=1 has it read whole.
PARTS = {"package document of 20 MB": "/http"}


def log(size: int) -> str:
    """A log of so many bytes, the same each time: services that go about their work, warnings, stack traces."""
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


@pytest.mark.parametrize("name", [*FILES, "log of 5 MB"])
def test_offloaded_and_rebuilt(name: str, tmp_path: Path, tables: Tables) -> None:
    is_json = name in FILES
    given = (Path(machine.given("TOOLSHAPE_CORPORA")) / FILES[name]).read_text("utf-8") if is_json else log(5_000_000)
    whole = minified(given) if is_json else given
    store = FileStore(tmp_path / "store")
    archive = Archive(Shaper(max_tokens=BUDGET, overflow="offload"), store)

    async def run() -> None:
        start = time.perf_counter()
        shaped = await (archive.shape_json(given) if is_json else archive.shape(given))
        offloaded = time.perf_counter() - start
        assert shaped.value["offloaded"] and shaped.tokens <= BUDGET
        key, handle = shaped.value["filename"], shaped.value["uri"]
        assert (tmp_path / "store" / key).read_bytes() == whole.encode("utf-8")
        assert store.get(key) == whole

        async def ask(pointer: str | None, cursor: str | None) -> Shaped:
            arguments = {"handle": handle, "pointer": pointer, "cursor": cursor}
            shaped = await archive.read_result({name: value for name, value in arguments.items() if value is not None})
            assert count_tokens(shaped.text) <= BUDGET
            return shaped

        reader = Reader(ask)
        start = time.perf_counter()
        if name in PARTS and "TOOLSHAPE_LONG" not in os.environ:
            part = PARTS[name]
            label = f"{name}, {part} of it by read_result"
            assert await reader.value(part) == dict(members(whole))[f'"{part[1:]}"']
        else:
            label = name
            assert await (reader.value() if is_json else reader.text()) == whole
        seconds = time.perf_counter() - start
        row = (
            label,
            f"{len(whole.encode()):,}",
            f"{offloaded:.2f}",
            f"{shaped.tokens}",
            f"{reader.calls:,}",
            f"{seconds:.1f}",
        )
        tables.row("rebuilt", HEAD, row)

    asyncio.run(run())


HEAD = ("result", "bytes", "seconds to offload", "tokens shown", "read_result calls", "seconds to rebuild by them")
