"""Shapes each result that a line has, and prints the milliseconds that shaping took."""

import asyncio
import json
import sys
import time

from toolshape import Archive, MemoryStore, Shaper


async def main():
    archive = Archive(Shaper(), MemoryStore())
    for line in sys.stdin:
        result = json.loads(line)
        start = time.perf_counter()
        shaped = await archive.shape_result(result, tool="rows", arguments={})
        took = (time.perf_counter() - start) * 1000
        if shaped.unchanged:
            raise ValueError("nothing was shaped")
        print(took, flush=True)


asyncio.run(main())
