"""The recipe for Redis in the docs, under more calls at the same time than a client has connections."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import machine
import pytest
from redis.asyncio import Redis
from toolshape import Archive, Shaped, Shaper
from toolshape.stores.redis import RedisStore

pytestmark = machine.needed

PAGE = (Path(__file__).parents[2] / "docs/stores.md").read_text("utf-8")
RECIPES = [code for code in re.findall("^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) if "pool = " in code]
CALLS = 500


async def shaped_at_once(store: Any) -> list[Shaped]:
    archive, rows = Archive(Shaper(max_tokens=400), store), [{"id": at, "text": "word " * 9} for at in range(60)]
    return await asyncio.gather(*(archive.shape([*rows, {"id": call}], tool="list") for call in range(CALLS)))


@pytest.mark.parametrize("recipe", RECIPES, ids=["redis"])
def test_every_call_is_stored(recipe: str) -> None:
    async def run(url: str) -> list[Shaped]:
        names: dict[str, Any] = {"url": url}
        exec(recipe, names)  # noqa: S102
        try:
            return await shaped_at_once(names["store"])
        finally:
            await names["pool"].disconnect()

    with machine.own_redis() as redis:
        shaped = asyncio.run(run(redis.url))
    assert [one.value.get("storeFailed") for one in shaped] == [None] * CALLS
    assert len({one.value["nextCursor"] for one in shaped}) == CALLS


def test_the_default_pool_refuses_calls_over_its_limit() -> None:
    """If it no longer does, the docs need no pool."""

    async def run(url: str) -> list[Shaped]:
        async with Redis.from_url(url) as client:
            return await shaped_at_once(RedisStore(client))

    with machine.own_redis() as redis:
        shaped = asyncio.run(run(redis.url))
    assert "MaxConnectionsError" in {one.value.get("storeFailed") for one in shaped}
