"""A right that is taken away after the first page: what is still read of what was stored. In each SDK, with the server's
check around the line, between the line and the tool, and in the tool."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from adapters.clients import in_process
from adapters.sdks import FAST, PLAIN, SDKS, MCPServer, mt
from toolshape import MemoryStore, ToolshapeError

if FAST is not None:
    import fastmcp
    from fastmcp.server.middleware import Middleware
    from toolshape.fastmcp import ShapingMiddleware
if PLAIN is not None:
    from toolshape.mcp import shape_server

ROWS = [{"id": at, "name": f"salary of number {at}"} for at in range(400)]
LOG = "".join(f"salary {at} was paid\n" for at in range(3000))
POLICY = {"max_tokens": 600, "cursor_key": "a secret of sixteen bytes"}
PLACES = ["outside", "inside", "in the tool"]
Ask = Callable[..., Awaitable[tuple[str, bool]]]


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """SDKs log each error with all its frames."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


class Watched(MemoryStore):
    """A store that records which keys were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def get(self, key: str) -> str | None:
        self.read.append(key)
        return super().get(key)


@dataclass
class Rights:
    """The check of a server: it raises where the right to a tool was taken away."""

    revoked: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    def check(self, tool: str) -> None:
        self.asked.append(tool)
        if tool in self.revoked:
            raise PermissionError("you have no right to this tool")

    def around_requests(self, server: MCPServer[Any]) -> None:
        """The check around every call of a client."""
        if PLAIN == "mcp1":
            handlers = server._mcp_server.request_handlers
            handle = handlers[mt.CallToolRequest]

            async def handled(request: mt.CallToolRequest) -> Any:
                self.check(request.params.name)
                return await handle(request)

            handlers[mt.CallToolRequest] = handled
            return

        async def checking(context: Any, call_next: Any) -> Any:
            if context.method == "tools/call":
                self.check(context.params["name"])
            return await call_next(context)

        server.middleware.append(checking)

    def around_tools(self, server: MCPServer[Any]) -> None:
        """The check around the server's own tools."""
        if PLAIN == "mcp1":
            self.around_requests(server)
            return
        call_tool = server.call_tool

        async def checked(name: str, *given: Any, **named: Any) -> Any:
            self.check(name)
            return await call_tool(name, *given, **named)

        setattr(server, "call_tool", checked)  # noqa: B010

    def middleware(self) -> Middleware:
        check = self.check

        class Checking(Middleware):
            async def on_call_tool(self, context: Any, call_next: Any) -> Any:
                check(context.message.name)
                return await call_next(context)

        return Checking()


@dataclass
class Connected:
    ask: Ask
    resource: Callable[[str], Awaitable[str]]
    store: Watched
    rights: Rights


@asynccontextmanager
async def connected(sdk: str, place: str, **options: Any) -> AsyncIterator[Connected]:
    """A client of a server whose check is in one place."""
    rights, store = Rights(), Watched()

    def salaries() -> str:
        if place == "in the tool":
            rights.check("salaries")
        return json.dumps(ROWS)

    def payments() -> str:
        if place == "in the tool":
            rights.check("payments")
        return LOG

    options = {"on_receipt": lambda receipt: None, "store": store, "summarize": True, **options}
    server: Any
    if sdk == PLAIN:
        plain = MCPServer[Any]("server", log_level="CRITICAL")
        if place == "inside":
            rights.around_tools(plain)
        shape_server(plain, POLICY, **options)
        if place == "outside":
            rights.around_requests(plain)
        for tool in (salaries, payments):
            plain.tool(structured_output=False)(tool)
        server = plain
    else:
        fast = fastmcp.FastMCP[Any]("server")
        # The first one added is the outermost.
        if place == "outside":
            fast.add_middleware(rights.middleware())
        fast.add_middleware(ShapingMiddleware(POLICY, **options))
        if place == "inside":
            fast.add_middleware(rights.middleware())
        for tool in (salaries, payments):
            fast.tool(tool, output_schema=None)
        server = fast
    async with in_process(server) as peer:

        async def ask(tool: str, **arguments: Any) -> tuple[str, bool]:
            try:
                result = await peer.call(tool, **arguments)
            except Exception as error:
                return str(error), True
            return "".join(block.text for block in result.content), bool(result.is_error)

        async def resource(uri: str) -> str:
            try:
                read = await peer.read(uri)
            except Exception as error:
                return str(error)
            return str(read[0].text)

        yield Connected(ask, resource, store, rights)


async def ways(server: Connected, tool: str, first: dict[str, Any]) -> tuple[list[tuple[str, bool]], list[str]]:
    """Each way to read what a tool's first page named: the later page, and every name of the whole."""
    uri = first["uri"]
    handle = uri.rsplit("/", 1)[1]
    file = json.loads(str(server.store.get(f"{handle}.handle")))["key"]
    digest = file.split(".")[0]
    reads: list[dict[str, Any]] = [{}, {"search": "salary"}]
    reads.append({"lines": "1-3"} if tool == "payments" else {"pointer": "/0"})
    server.store.read.clear()
    answers = [await server.ask(tool), await server.ask(tool, cursor=first["nextCursor"])]
    for name in (handle, uri, digest, file, f"toolshape://result/{digest}"):
        answers += [await server.ask("read_result", handle=name, **read) for read in reads]
        answers.append(await server.ask("summarize", handle=name))
    return answers, [await server.resource(name) for name in (uri, f"toolshape://result/{digest}")]


def shows(text: str) -> bool:
    return any(f"salary {word}" in text for word in ("of", *"0123456789"))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("sdk", SDKS)
def test_a_revoked_right_reads_nothing(sdk: str, place: str) -> None:
    async def run() -> None:
        asked: list[tuple[object, str]] = []

        async def authorize(context: object, tool: str) -> bool:
            asked.append((context, tool))
            return tool not in server.rights.revoked

        async with connected(sdk, place, authorize=authorize) as server:
            for tool in ("salaries", "payments"):
                first = json.loads((await server.ask(tool))[0])
                server.rights.revoked.add(tool)
                asked.clear()
                answers, resources = await ways(server, tool, first)
                assert all(is_error and not shows(text) for text, is_error in answers)
                assert not any(map(shows, resources))
                assert [key for key in server.store.read if not key.endswith(".handle")] == []
                assert len(asked) > 10 and all(context is not None and of == tool for context, of in asked)
                # And all of it with the right.
                server.rights.revoked.clear()
                answers, resources = await ways(server, tool, first)
                texts = [text for text, _ in answers if "handle cannot be used" not in text]
                assert all(map(shows, [*texts, *resources]))

    anyio.run(run)


@pytest.mark.parametrize("sdk", SDKS)
def test_a_check_around_is_asked_for_later_pages_and_read_result(sdk: str) -> None:
    async def run() -> None:
        async with connected(sdk, "outside") as server:
            first = json.loads((await server.ask("salaries"))[0])
            later, _ = await server.ask("salaries", cursor=first["nextCursor"])
            part, _ = await server.ask("read_result", handle=first["uri"], pointer="/399/id")
            assert json.loads(later)["source"] == "snapshot" and json.loads(part) == 399
            assert server.rights.asked == ["salaries", "salaries", "read_result"]
            # Without the right neither is given.
            server.rights.revoked |= {"salaries", "read_result"}
            server.store.read.clear()
            for tool, arguments in (
                ("salaries", {"cursor": first["nextCursor"]}),
                ("read_result", {"handle": first["uri"]}),
            ):
                text, is_error = await server.ask(tool, **arguments)
                assert is_error and not shows(text)
            assert server.store.read == []

    anyio.run(run)


@pytest.mark.parametrize("sdk", SDKS)
def test_anything_but_true_refuses(sdk: str) -> None:
    async def no() -> bool:
        return False

    def away() -> bool:
        raise ConnectionError("ldap://10.0.0.7")

    answer: list[Callable[[], Any]] = [lambda: True]

    async def run() -> None:
        async with connected(sdk, "in the tool", authorize=lambda context, tool: answer[0]()) as server:
            uri = json.loads((await server.ask("salaries"))[0])["uri"]
            for refusing in (lambda: False, lambda: None, lambda: 1, lambda: "yes", no, away):
                answer[0] = refusing
                text, is_error = await server.ask("read_result", handle=uri)
                assert is_error and json.loads(text)["error"] == "FORBIDDEN" and "ldap" not in text
            answer[0] = lambda: True
            assert shows((await server.ask("read_result", handle=uri))[0])

    anyio.run(run)


@pytest.mark.parametrize("sdk", SDKS)
def test_without_authorize_a_handle_is_a_capability(sdk: str) -> None:
    async def run() -> None:
        async with connected(sdk, "in the tool") as server:
            first = json.loads((await server.ask("salaries"))[0])
            server.rights.revoked.add("salaries")
            answers, resources = await ways(server, "salaries", first)
            assert answers[0][1]
            texts = [text for text, _ in answers[1:] if "handle cannot be used" not in text]
            assert all(map(shows, [*texts, *resources]))

    anyio.run(run)


@pytest.mark.parametrize("sdk", SDKS)
def test_a_scope_without_a_key_and_authorize_without_a_store_are_refused_at_the_start(sdk: str) -> None:
    def start(policy: dict[str, Any], **options: Any) -> None:
        if sdk == PLAIN:
            shape_server(MCPServer[Any]("s"), policy, **options)
        else:
            ShapingMiddleware(policy, **options)

    only_one: dict[str, Any] = {"tools": {"one": {"cursor_key": "a secret of sixteen bytes"}}}
    for policy in ({}, only_one):
        for scope in ("tenant", lambda context: "tenant"):
            for options in ({}, {"store": MemoryStore()}, {"store": None}):
                with pytest.raises(ToolshapeError) as raised:
                    start(policy, scope=scope, **options)
                assert (raised.value.code, raised.value.path) == ("INVALID_CALL", "/scope")
    with pytest.raises(ToolshapeError, match="authorize"):
        start({}, store=None, authorize=lambda context, tool: True)
    start({}, authorize=lambda context, tool: True)
    start(POLICY, scope="tenant")
