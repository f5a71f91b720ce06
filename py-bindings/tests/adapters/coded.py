"""The rows that data cannot express: many calls at once, and what a server writes."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

import anyio

from adapters.results import receipt, reply, rows_of
from adapters.setting import Setting


async def calls_do_not_mix(s: Setting) -> None:
    found: dict[int, tuple[object, object]] = {}

    async def ask(count: int) -> None:
        promised, paged = await s.peer.call("promised", count=count), await s.peer.call("list_rows", count=count)
        total = reply(promised)["total"]
        assert rows_of(reply(promised)) == rows_of(promised.structured_content)
        found[count] = total, reply(paged)["totalItems"]

    async with anyio.create_task_group() as group:
        for count in range(100, 120):
            group.start_soon(ask, count)
    assert found == {count: (count, count) for count in range(100, 120)}


async def a_line_is_written(s: Setting) -> None:
    before = len(s.errors())
    await s.peer.call("described", count=400)

    def lines() -> list[str]:
        return [line for line in s.errors()[before:].splitlines() if "described" in line]

    for _ in range(100):
        if lines():
            break
        await anyio.sleep(0.02)
    await anyio.sleep(0.02)
    line = r"toolshape described: about \d+ tokens, \d+ of 600 shown \(columns, paginate\), [\d.]+ ms(, [^,]+)?(, request \S+)?"
    assert len(lines()) == 1 and re.fullmatch(line, lines()[0])


async def a_receipt_is_handed_on(s: Setting) -> None:
    result = await s.bare.call("list_rows", count=400)
    assert receipt(result)["steps"] == ["columns", "paginate"]
    assert "toolshape" not in s.errors("bare")


CODED: dict[str, Callable[[Setting], Awaitable[None]]] = {
    "concurrent calls do not mix": calls_do_not_mix,
    "each result writes one line to standard error": a_line_is_written,
    "`onReceipt` replaces that line": a_receipt_is_handed_on,
}
