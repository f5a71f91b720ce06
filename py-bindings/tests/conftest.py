"""What several suites need."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any


def wait(result: Any) -> Any:
    """The result of a call that may be asynchronous."""
    if not inspect.isawaitable(result):
        return result

    async def run() -> Any:
        return await result

    return asyncio.run(run())
