"""A store as users write one, with asynchronous methods, and what tests of archives put into it."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from conftest import wait
from toolshape import Archive, Shaped

ROWS = [{"id": i, "name": f"row {i}", "secret": f"sk-{i:08d}", "text": "größe " * 20} for i in range(400)]
TEXT = "".join(f"line {i} says sk-{i:08d}\n" for i in range(5000))
KEY = "a secret of sixteen bytes"
URI = re.compile(r"toolshape://result/([a-z]{16})")


def minified(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class AsyncStore:
    """A store as users write one, with asynchronous methods; it remembers, and fails on request."""

    def __init__(self, fail: Exception | None = None) -> None:
        # Contents, and apart from them what their handles open.
        self.kept: dict[str, str] = {}
        self.tickets: dict[str, str] = {}
        self.times: list[float] = []
        self.fail = fail

    async def get(self, key: str) -> str | None:
        await asyncio.sleep(0)
        if self.fail:
            raise self.fail
        return (self.tickets if key.endswith(".handle") else self.kept).get(key)

    async def set(self, key: str, value: str, ttl_seconds: float) -> None:
        await asyncio.sleep(0)
        if self.fail:
            raise self.fail
        if key.endswith(".handle"):
            # What a session stored is listed under such a key too.
            assert json.loads(value).get("key") in (None, *self.kept), "a handle that opens nothing"
            self.tickets[key] = value
            return
        self.kept[key] = value
        self.times.append(ttl_seconds)

    async def delete(self, key: str) -> None:
        self.kept.pop(key, None)

    def opened(self, handle: object) -> str | None:
        """The key of the content that a handle opens."""
        ticket = self.tickets.get(f"{str(handle)[-16:]}.handle")
        return ticket and json.loads(ticket)["key"]


def reply(shaped: Shaped) -> str | None:
    """The handle in a result."""
    found = URI.search(shaped.text)
    return found and found[1]


def kept(archive: Archive, **call: Any) -> str:
    """The handle of the rows, kept."""
    return str(reply(wait(archive.shape(ROWS, tool="list", **call))))


def redact(content: str) -> str:
    """Hides the secrets of the rows and of the text."""
    return re.sub(r"sk-\d{8}", "[redacted]", content)
