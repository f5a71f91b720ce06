"""Shapes one very large result, as in memory.mjs: ``python -m end_to_end.memory <"no store" or a store> <megabytes>``."""

import asyncio
import gc
import inspect
import json
import sys

from resident import reset, resident

from end_to_end.rows import SIZES, rows_of, version_of
from end_to_end.servers import BUDGET
from end_to_end.stores import new_store

ROOM = {"max_bytes": 2**30, "max_value_bytes": 2**30}


async def measured(place, megabytes):
    from toolshape import Archive, Shaper

    shaper = Shaper(max_tokens=BUDGET)
    by = shaper if place == "no store" else Archive(shaper, new_store(place, **ROOM))
    rows = json.dumps(version_of(rows_of(SIZES["350 KB"]), 1), separators=(",", ":"))[1:-1]

    async def shape(text):
        done = by.shape_result({"content": [{"type": "text", "text": text}]})
        done = await done if inspect.isawaitable(done) else done
        if not done.receipt["steps"]:
            raise RuntimeError("it was not shaped")

    await shape(f"[{rows}]")
    text = "[" + (rows + ",") * (int(megabytes) * 10**6 // len(rows)) + rows + "]"
    gc.collect()
    reset()
    before = resident("VmRSS")
    await shape(text)
    peak = resident("VmHWM")
    gc.collect()
    return {"place": place, "textBytes": len(text), "peakBytes": peak - before, "leftBytes": resident("VmRSS") - before}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measured(*sys.argv[1:]))))
