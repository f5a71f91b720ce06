"""Calls servers, as calls.mjs, cold.mjs and crowd.mjs do, and prints what was found as JSON.

Usage: python -m end_to_end.calls turns <sdk> <stdio | http> [--quick] | cold <sdk> <rounds> | crowd <sdk> <seconds for each>
"""

import asyncio
import json
import sys
import time
from contextlib import AsyncExitStack

from end_to_end.clients import Server, connected, how_of
from end_to_end.rows import SIZES
from end_to_end.turns import orders

# Rounds that count, and those before.
ROUNDS = {"2 KB": (150, 30), "350 KB": (40, 8), "3.7 MB": (15, 3)}
QUICK_ROUNDS = {"2 KB": (2, 1), "350 KB": (1, 1)}
COLD = ["naive", "shaped"]
CLIENTS = 16
SIZE = "350 KB"
TURN = 2.0
# How often the memory is looked at, in seconds: it goes up and down within a turn.
LOOK = 0.1
# This many calls fill the default store: only then memory stays constant.
FILLING = 400


async def turns(sdk, transport, quick=None):
    """How long each call took, server after server: until the client has the result."""
    found, version = [], 0
    async with AsyncExitStack() as stack:
        urls = {how: Server(sdk, how).url if transport == "http" else None for how in how_of(sdk)}
        calls = {how: await stack.enter_async_context(connected(sdk, how, url)) for how, url in urls.items()}
        servers, in_turn = list(calls), orders(len(calls))
        for size, (rounds, before) in (QUICK_ROUNDS if quick else ROUNDS).items():
            milliseconds = {how: [] for how in calls}
            for turn in range(-before, rounds):
                for at in in_turn[turn % len(in_turn)]:
                    how = servers[at]
                    version += 1
                    start = time.perf_counter()
                    await calls[how](SIZES[size], version)
                    if turn >= 0:
                        milliseconds[how].append((time.perf_counter() - start) * 1000)
            found.append({"sdk": sdk, "transport": transport, "size": size, "milliseconds": milliseconds})
    return found


async def cold(sdk, rounds):
    """How long it takes until a client of a new server is connected, and its first call."""
    found = {how: {"start": [], "first": []} for how in COLD}
    # The first round is not looked at: it reads the files from the disk.
    for turn in range(int(rounds) + 1):
        for how in COLD:
            start = time.perf_counter()
            async with connected(sdk, how) as call:
                ready = time.perf_counter()
                await call(SIZES["2 KB"], turn)
                answered = time.perf_counter()
            if turn > 0:
                found[how]["start"].append((ready - start) * 1000)
                found[how]["first"].append((answered - ready) * 1000)
    return {"sdk": sdk, "milliseconds": found}


async def crowd(sdk, seconds):
    """Sixteen clients at once; the servers take turns of two seconds, so that what else the machine does hits both."""
    seconds = float(seconds)
    version, filling = 0, CLIENTS if seconds < 10 else FILLING
    servers = {how: Server(sdk, how) for how in COLD}
    times, took, resident = {how: [] for how in COLD}, dict.fromkeys(COLD, 0.0), {how: [] for how in COLD}
    async with AsyncExitStack() as stack:
        peers = {
            how: [await stack.enter_async_context(connected(sdk, how, server.url)) for _ in range(CLIENTS)]
            for how, server in servers.items()
        }

        async def everyone(how, goes):
            """Each client calls again as soon as it has its result, while ``goes`` says so."""

            async def one(call):
                nonlocal version
                while goes():
                    version += 1
                    start = time.perf_counter()
                    await call(SIZES[SIZE], version)
                    times[how].append((time.perf_counter() - start) * 1000)

            start = time.perf_counter()
            await asyncio.gather(*map(one, peers[how]))
            took[how] += time.perf_counter() - start

        async def look(how):
            while True:
                await asyncio.sleep(LOOK)
                resident[how].append(servers[how].resident())

        for how in COLD:
            until = version + filling
            await everyone(how, lambda: version < until)
            times[how], took[how] = [], 0.0
            resident[how].append(servers[how].resident())
        turn = min(TURN, seconds)
        for _ in range(round(seconds / turn)):
            for how in COLD:
                end = time.perf_counter() + turn
                looking = asyncio.create_task(look(how))
                await everyone(how, lambda: time.perf_counter() < end)
                looking.cancel()
                resident[how].append(servers[how].resident())
    return [summary(sdk, how, times[how], took[how], resident[how]) for how in COLD]


def summary(sdk, how, times, took, resident):
    ordered = sorted(times)
    at = lambda share: ordered[int((len(ordered) - 1) * share)]
    found = {"median": at(0.5), "p99": at(0.99), "worst": at(1), "resident": resident}
    return {"sdk": sdk, "how": how, "size": SIZE, "callsPerSecond": len(times) / took, **found}


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    print(json.dumps(asyncio.run({"turns": turns, "cold": cold, "crowd": crowd}[what](*given))))
