"""The transport of a client with the relay above it, under the client of ``mcp`` that is installed: 1.x or 2.x."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from adapters.sdks import MCPServer, result_of
from mcp import ClientSession
from mcp.shared.memory import create_client_server_memory_streams
from toolshape import MemoryStore, ToolshapeError, count_tokens, expand
from toolshape.client import shaped

ROWS = [{"id": each, "name": f"the row of number {each}"} for each in range(400)]


def naive() -> Any:
    server = MCPServer("rows")

    @server.tool()
    def list_rows(count: int) -> str:
        return json.dumps(ROWS[:count])

    @server.tool()
    def fails() -> str:
        raise ValueError("no such article " * 300)

    @server.tool()
    def prints() -> str:
        return "a line of the log\n" * 3000

    @server.tool()
    async def waits() -> str:
        await anyio.sleep(5)
        return "late"

    return server


@asynccontextmanager
async def transport_of(server: Any) -> Any:
    """The transport of a client of a server in this process."""
    low: Any = getattr(server, "_lowlevel_server", None) or server._mcp_server
    async with create_client_server_memory_streams() as (ours, theirs), anyio.create_task_group() as tasks:
        tasks.start_soon(low.run, *theirs, low.create_initialization_options())
        yield (*ours, "its session id")
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def connected(server: Any, *given: Any, **options: Any) -> Any:
    """A client of a server in this process."""
    async with shaped(transport_of(server), *given, **options) as (read, write, session):
        assert session == "its session id"
        async with ClientSession(read, write) as client:
            await client.initialize()
            yield client


async def call(client: Any, name: str, **arguments: Any) -> Any:
    return result_of(await client.call_tool(name, arguments))


def value(result: Any) -> Any:
    return json.loads(expand(result.content[0].text))


def test_results_are_shaped_and_read_back() -> None:
    receipts: list[Any] = []

    async def work() -> None:
        async with connected(naive(), {"max_tokens": 600}, on_receipt=receipts.append) as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == ["list_rows", "fails", "prints", "waits", "read_result_rows"]
            assert value(await call(client, "list_rows", count=2)) == ROWS[:2]
            page = await call(client, "list_rows", count=400)
            assert count_tokens(page.content[0].text) <= 600
            first = value(page)
            following = value(await call(client, "read_result_rows", cursor=first["nextCursor"]))
            assert following["items"][0]["id"] == first["items"][-1]["id"] + 1
            failed = await call(client, "fails")
            assert failed.is_error
            assert count_tokens(failed.content[0].text) <= 600
            unknown = await call(client, "read_result_rows", handle="abcdefghabcdefgh")
            assert unknown.is_error

    anyio.run(work)
    assert [receipt["tool"] for receipt in receipts if receipt["steps"]][:2] == ["list_rows", "read_result"]


def test_calls_at_once_and_a_slow_one_that_is_given_up() -> None:
    async def work() -> None:
        async with connected(naive(), {"max_tokens": 600}) as client:
            totals: dict[int, int] = {}

            async def total(count: int) -> None:
                totals[count] = value(await call(client, "list_rows", count=count))["totalItems"]

            async with anyio.create_task_group() as tasks:
                with anyio.move_on_after(0.2):
                    for count in (100, 200, 300):
                        tasks.start_soon(total, count)
                    await call(client, "waits")
            assert totals == {100: 100, 200: 200, 300: 300}
            assert value(await call(client, "list_rows", count=1)) == ROWS[:1]

    anyio.run(work)


class Later:
    """A store that takes its time, and may have no room."""

    def __init__(self, *, is_full: bool = False) -> None:
        self.memory = MemoryStore()
        self.is_full = is_full

    async def get(self, key: str) -> str | None:
        await anyio.sleep(0.01)
        return self.memory.get(key)

    async def set(self, key: str, value: str, ttl_seconds: float) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")
        await anyio.sleep(0.01)
        self.memory.set(key, value, ttl_seconds)

    async def delete(self, key: str) -> None:
        self.memory.delete(key)


def test_a_store_that_takes_its_time_one_that_is_full_and_none() -> None:
    async def work() -> None:
        async with connected(naive(), store=Later()) as client:
            first = value(await call(client, "list_rows", count=400))
            following = value(await call(client, "read_result_rows", cursor=first["nextCursor"]))
            assert following["items"][0]["id"] == first["items"][-1]["id"] + 1
        async with connected(naive(), store=Later(is_full=True)) as client:
            page = value(await call(client, "list_rows", count=400))
            assert page["totalItems"] == 400
            assert "read_result_rows" not in page["note"]
        async with connected(naive(), store=None) as client:
            assert "read_result_rows" not in [tool.name for tool in (await client.list_tools()).tools]

    anyio.run(work)


def test_the_options_of_tools_have_their_own_names() -> None:
    policy: Any = {"max_tokens": 4000, "tools": {"list_rows": {"max_tokens": 300, "page_size": 7}, "prints": False}}

    async def work() -> None:
        async with connected(naive(), policy) as client:
            assert value(await call(client, "list_rows", count=400))["pageSize"] == 7
            assert len((await call(client, "prints")).content[0].text) == 54_000

    anyio.run(work)


def test_a_wrong_policy_is_refused() -> None:
    async def work() -> None:
        async with connected(naive(), {"max_tokns": 1}):
            pass

    with pytest.raises(ToolshapeError, match="max_tokens"):
        anyio.run(work)


def test_the_client_of_fastmcp() -> None:
    transports = pytest.importorskip("fastmcp.client.transports")
    clients = pytest.importorskip("fastmcp")

    class Shaped(transports.ClientTransport):  # type: ignore[misc, name-defined, unused-ignore]
        @asynccontextmanager
        async def connect_session(self, **given: Any) -> Any:
            given.pop("transport_options", None)
            async with shaped(transport_of(naive()), {"max_tokens": 600}, store=MemoryStore()) as (read, write, _):
                async with ClientSession(read, write, **given) as session:
                    yield session

    async def work() -> None:
        async with clients.Client(Shaped()) as client:
            names = [tool.name for tool in await client.list_tools()]
            assert names[-1].startswith("read_result")
            result = await client.call_tool("list_rows", {"count": 400})
            page = json.loads(result.content[0].text)
            assert page["totalItems"] == 400
            handle = page["uri"].rsplit("/", 1)[-1]
            answer = await client.call_tool(names[-1], {"handle": handle, "sql": "SELECT max(id) FROM result"})
            assert json.loads(answer.content[0].text)["rows"] == [[399]]

    anyio.run(work)
