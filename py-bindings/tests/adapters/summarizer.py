"""A summarizer of a host's own, that does as the text says with which it is asked."""

from __future__ import annotations

import asyncio
from typing import Any

from toolshape.mcp import Summarizer

# What the result says about each of its faults.
FAULTS = {
    "THROW": "it failed: TypeError",
    "HANG": "it took over 0.3 seconds",
    "NOTHING": "it gave no text",
    "LONG": "it is over the budget",
}


async def summarize(text: str, max_tokens: int, context: object) -> Any:
    if text.startswith("THROW"):
        raise TypeError("in /etc/secret")
    if text.startswith("HANG"):
        await asyncio.sleep(60)
    if text.startswith("NOTHING"):
        return None
    if text.startswith("LONG"):
        return "All went well. " * 500
    return f"It has {len(text)} characters; {max_tokens} tokens are left for them."


SUMMARIZER = Summarizer("the house", summarize, timeout_seconds=0.3)
