"""The stores of the command are those of the packages: each reads what the other keeps."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import machine
import pytest
from redis.asyncio import Redis
from toolshape import Archive, FileStore, Shaper
from toolshape.stores.redis import RedisStore

ROWS = json.dumps([{"id": at, "name": f"row {at}"} for at in range(300)])
RESULT = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": ROWS}]}})
SERVER = f"import sys\nfor line in sys.stdin: print({RESULT!r}, flush=True)"


def called(place: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a call gives behind the command."""
    command = [sys.executable, "-m", "toolshape", "--store", place, "--", sys.executable, "-c", SERVER]
    params = {"name": tool, "arguments": arguments}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    ended = subprocess.run(command, input=line + "\n", capture_output=True, text=True, check=True)
    page: dict[str, Any] = json.loads(json.loads(ended.stdout)["result"]["content"][0]["text"])
    return page


async def shares(place: str, store: Any) -> None:
    archive = Archive(Shaper(), store)
    page = await asyncio.to_thread(called, place, "list", {})
    handle = page["uri"].rpartition("/")[2]
    read = await archive.read_result({"handle": handle, "sql": "SELECT count(*) FROM result"})
    assert json.loads(read.text)["rows"] == [[300]]
    kept = await archive.shape([{"of": "Python", "at": at} for at in range(700)], tool="other")
    handle = json.loads(kept.text)["uri"].rpartition("/")[2]
    asked = {"handle": handle, "sql": "SELECT count(*), max(at) FROM result"}
    assert (await asyncio.to_thread(called, place, "read_result", asked))["rows"] == [[700, 699]]


def test_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    asyncio.run(shares(str(folder), FileStore(str(folder))))


@pytest.mark.machine
def test_a_redis() -> None:
    async def on_redis() -> None:
        async with Redis.from_url(machine.given("TOOLSHAPE_REDIS_URL")) as client:
            await shares(machine.given("TOOLSHAPE_REDIS_URL"), RedisStore(client))

    asyncio.run(on_redis())
