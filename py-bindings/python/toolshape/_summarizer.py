"""A summarizer that the host supplies, such as a model that the client samples. It has a time limit and is not trusted."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ._kept import reason
from ._toolshape import call
from .types import Summary, SummaryTask


@dataclass(frozen=True)
class Summarizer:
    """Writes summaries in place of toolshape's. If it fails, or its summary is too long, toolshape's own is used and
    reports it.

    ``by`` is the author of the summaries, and is written in each. ``summarize`` receives the text, the most tokens that
    a summary may have, and the SDK's context of the call, through which the client can be asked to sample. If it is not
    an ``async def``, it runs in a thread. It may take ``timeout_seconds``.
    """

    by: str
    summarize: Callable[[str, int, Any], str | Awaitable[str]]
    timeout_seconds: float = call("summarizerOptions")["timeoutSeconds"]

    def __post_init__(self) -> None:
        call("summarizerOptions", options={"timeout_seconds": self.timeout_seconds})

    async def ask(self, task: SummaryTask, context: object) -> Summary:
        """The summary that it returns, or why there is none, as options of ``summarize_text``."""
        asked = (task["text"], task["maxTokens"], context)
        terms = call("summarizerOptions", options={"timeout_seconds": self.timeout_seconds})

        async def answer() -> object:
            if inspect.iscoroutinefunction(self.summarize):
                return await self.summarize(*asked)
            given = await asyncio.to_thread(self.summarize, *asked)
            return await given if inspect.isawaitable(given) else given

        try:
            summary = await asyncio.wait_for(answer(), self.timeout_seconds)
        except asyncio.TimeoutError:
            return {"by": self.by, "failure": terms["late"]}
        except Exception as error:
            return {"by": self.by, "failure": f"{terms['failed']}: {reason(error)}"}
        if not isinstance(summary, str) or not summary:
            return {"by": self.by, "failure": terms["empty"]}
        return {"by": self.by, "summary": summary}
