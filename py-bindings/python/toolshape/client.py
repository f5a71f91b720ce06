"""The relay above the transport of an MCP client, in the same process: ``async with shaped(stdio_client(...)) as (read, write)``.

It imports no SDK, and serves ``mcp`` 1.x and 2.x.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from time import time
from typing import Any

import anyio

from . import _toolshape as core
from ._kept import Kept, reason
from ._made_shaper import made_shaper
from ._receipt_log import LOGGER, log_receipt
from .adapter import shared_memory
from .stores import Store
from .types import Policy, Receipt

__all__ = ["shaped"]

_DEFAULT: Any = object()
# What the end of a stream raises, on either side.
_ENDS = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)
_Pass = Callable[[], Awaitable[None]]


@asynccontextmanager
async def shaped(
    transport: AbstractAsyncContextManager[Any],
    policy: Policy | None = None,
    *,
    store: Store | None = _DEFAULT,
    result_arguments: Sequence[str] = (),
    on_receipt: Callable[[Receipt], object] = log_receipt,
) -> AsyncIterator[Any]:
    """The streams of a client's transport, which shape the results of the server's tools and add the tool ``read_result``
    to them.

    ``store`` keeps complete results, by default in the memory of this process; ``None`` means no store. ``result_arguments`` are tools
    whose arguments may name a stored result, as ``{"$result": "<handle>"}``. What the transport yields in addition to its
    streams is yielded too.

    Raises ``ToolshapeError``: ``INVALID_POLICY``.
    """
    made_shaper(policy)
    keeper = shared_memory() if store is _DEFAULT else store
    options: dict[str, Any] = {**_camel(policy or {}), "store": keeper is not None}
    if result_arguments:
        options["resultArguments"] = list(result_arguments)
    relay = core.call("relay", options=options)
    kept = None if keeper is None else Kept(keeper, core.call("archiveOptions"))
    async with transport as (read, write, *others):
        to_client, from_server = anyio.create_memory_object_stream[Any](0)
        try:
            async with anyio.create_task_group() as tasks:
                above = _Above(relay, kept, on_receipt, write, to_client, tasks)
                tasks.start_soon(above.read, read)
                try:
                    yield (from_server, _Sending(write, above), *others)
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            core.call("forgetRelay", relay=relay)
            to_client.close()
            from_server.close()


class _Above:
    """Carries the messages of one transport."""

    def __init__(
        self,
        relay: int,
        kept: Kept | None,
        on_receipt: Callable[[Receipt], object],
        to_server: Any,
        to_client: Any,
        tasks: Any,
    ) -> None:
        self._relay = relay
        self._kept = kept
        self._on_receipt = on_receipt
        self._to_server = to_server
        self._to_client = to_client
        self._tasks = tasks

    async def read(self, source: Any) -> None:
        """Reads the server to its end, and then ends the client's stream."""
        with suppress(*_ENDS):
            async for message in source:
                await self.handle(message, is_client=False)
        self._to_client.close()

    async def handle(self, message: Any, *, is_client: bool) -> None:
        """Does what the relay says about a message of one side."""
        to = self._to_server if is_client else self._to_client

        async def send_on() -> None:
            await to.send(message)

        if isinstance(message, Exception):
            return await send_on()
        line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        texts = {"lines": line}
        steps = core.call("relayLines", relay=self._relay, isClient=is_client, now=int(time()), texts=texts)
        await self._carry_out(steps, message, send_on)

    async def _carry_out(self, steps: Sequence[Any], message: Any, send_on: _Pass) -> None:
        for step in steps:
            if "pass" in step:
                await send_on()
            elif "toServer" in step:
                await self._to_server.send(_like(message, step["toServer"]))
            elif "toClient" in step:
                await self._to_client.send(_like(message, step["toClient"]))
            elif "shaped" in step:
                # A failing receipt callback must not break the result.
                with suppress(Exception):
                    self._on_receipt(step["shaped"])
            elif "log" in step:
                LOGGER.warning("%s", step["log"])
            elif self._kept is None or self._kept.is_sync:
                await self._ask(step, message, send_on)
            else:
                # Other messages do not wait for the store.
                self._tasks.start_soon(self._ask, step, message, send_on)

    async def _ask(self, step: Any, message: Any, send_on: _Pass) -> None:
        asked = step.get("read") or step["write"]
        heard: dict[str, Any] = {"wasWritten": False}
        texts: dict[str, Any] = {}
        try:
            if self._kept is None:
                heard["failure"] = "there is no store"
            elif "read" in step:
                texts["value"] = await self._kept.get(asked["key"])
            else:
                await self._kept.set(asked["key"], asked["value"], asked["owner"])
                heard["wasWritten"] = True
        except Exception as error:
            heard["failure"] = reason(error)
        steps = core.call("relayHeard", relay=self._relay, number=asked["number"], texts=texts, **heard)
        with suppress(*_ENDS):
            await self._carry_out(steps, message, send_on)


class _Sending:
    """The stream to the server, as the SDK made it, whose messages the relay sees first: in the task and the context of whoever
    sends them.
    """

    def __init__(self, inner: Any, above: _Above) -> None:
        self._inner = inner
        self._above = above

    async def send(self, message: Any) -> None:
        await self._above.handle(message, is_client=True)

    async def __aenter__(self) -> _Sending:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._inner.aclose()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _like(message: Any, text: str) -> Any:
    """A message with this JSON text, of the classes of the SDK that the other one is of."""
    types = sys.modules[type(message.message).__module__]
    adapter = getattr(types, "jsonrpc_message_adapter", None)
    parsed = types.JSONRPCMessage.model_validate_json(text) if adapter is None else adapter.validate_json(text)
    return type(message)(parsed, message.metadata)


def _camel(options: Any) -> dict[str, Any]:
    """Options as the relay names them; their tools keep their own names."""
    camel = {}
    for name, value in options.items():
        first, *rest = name.split("_")
        if name == "tools":
            value = {tool: each if each is False else _camel(each) for tool, each in value.items()}
        elif isinstance(value, bytes):
            value = value.decode()
        camel[first + "".join(map(str.capitalize, rest))] = value
    return camel
