"""Tasks of 2025-11-25 on SDKs that have them: the answer to ``tasks/result`` is a tool's result, and is shaped as one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from adapters.clients import in_process
from adapters.results import reply
from adapters.sdks import FAST, PLAIN, mt, result_of
from toolshape import MemoryStore, count_tokens

if PLAIN not in ("mcp1", None):
    pytest.skip("this SDK has no tasks of 2025", allow_module_level=True)

from mcp import McpError

if FAST is not None:
    import fastmcp
    from toolshape.fastmcp import ShapingMiddleware
else:
    from mcp.server.lowlevel import Server
    from toolshape.mcp import shape_server

POLICY: dict[str, Any] = {"max_tokens": 600, "receipt": "meta", "tools": {"alone": False}}
OPTIONS: dict[str, Any] = {"on_receipt": lambda receipt: None}
RUNS: list[str] = []
TOOLS = ("list_rows", "alone", "fails")


def run(name: str, count: int) -> str:
    RUNS.append(name)
    if name == "fails":
        raise RuntimeError("no such article " * count)
    return json.dumps([{"id": at, "name": f"the row of number {at}"} for at in range(count)])


def fast(is_shaped: bool) -> Any:
    server = fastmcp.FastMCP("server", tasks=True)
    if is_shaped:
        server.add_middleware(ShapingMiddleware(POLICY, store=MemoryStore(), **OPTIONS))

    def tool_of(name: str) -> Callable[..., Any]:
        async def tool(count: int) -> str:
            return run(name, count)

        tool.__name__ = name
        return tool

    for name in TOOLS:
        server.tool(tool_of(name), name=name, output_schema=None, task=True)
    return server


def plain(is_shaped: bool) -> Any:
    server = Server("server")
    if is_shaped:
        shape_server(server, POLICY, store=MemoryStore(), **OPTIONS)

    @server.list_tools()
    async def listing() -> list[mt.Tool]:
        schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "additionalProperties": False}
        execution = mt.ToolExecution(taskSupport="optional")
        return [mt.Tool(name=name, inputSchema=schema, execution=execution) for name in TOOLS]

    @server.call_tool()
    async def calling(name: str, arguments: dict[str, Any]) -> Any:
        async def work(task: Any) -> mt.CallToolResult:
            try:
                return mt.CallToolResult(content=[mt.TextContent(type="text", text=run(name, arguments["count"]))])
            except RuntimeError as error:
                return mt.CallToolResult(content=[mt.TextContent(type="text", text=str(error))], isError=True)

        if server.request_context.experimental.is_task:
            return await server.request_context.experimental.run_task(work)
        return await work(None)

    # After the line, as before it.
    server.experimental.enable_tasks()
    return server


@asynccontextmanager
async def connected(is_shaped: bool) -> AsyncIterator[Any]:
    """The session of a client."""
    async with in_process((plain if FAST is None else fast)(is_shaped)) as peer:
        client: Any = peer
        await peer.tools()
        yield client._client if FAST is None else client._client.session


async def started(session: Any, name: str, **arguments: Any) -> str:
    params = mt.CallToolRequestParams(name=name, arguments=arguments, task=mt.TaskMetadata(ttl=60_000))
    answer = mt.CallToolResult if FAST == "fastmcp2" else mt.CreateTaskResult
    created = await session.send_request(mt.ClientRequest(mt.CallToolRequest(params=params)), answer)
    if FAST == "fastmcp2":
        return str(created.meta["modelcontextprotocol.io/task"]["taskId"])
    return str(created.task.taskId)


async def ended(session: Any, task: str) -> Any:
    for _ in range(500):
        get = mt.GetTaskRequest(params=mt.GetTaskRequestParams(taskId=task))
        status = await session.send_request(mt.ClientRequest(get), mt.GetTaskResult)
        if status.status not in ("working", "submitted"):
            break
        await anyio.sleep(0.02)
    fetch = mt.GetTaskPayloadRequest(params=mt.GetTaskPayloadRequestParams(taskId=task))
    return result_of(await session.send_request(mt.ClientRequest(fetch), mt.CallToolResult))


async def called(session: Any, name: str, **arguments: Any) -> Any:
    return await ended(session, await started(session, name, **arguments))


def test_results_of_tasks_are_shaped() -> None:
    async def steps() -> None:
        async with connected(True) as shaped, connected(False) as naive:
            # What fits stays, and so does what is left alone.
            for name, count in (("list_rows", 3), ("alone", 400)):
                ours, plain = await called(shaped, name, count=count), await called(naive, name, count=count)
                assert ours.content == plain.content
            # What is large is paged, by the arguments of the call.
            first = await called(shaped, "list_rows", count=400, pageSize=7)
            assert (reply(first)["totalItems"], len(reply(first)["items"])) == (400, 7)
            assert first.meta["toolshape/receipt"]["tool"] == "list_rows"
            following = await called(shaped, "list_rows", count=400, pageSize=7, cursor=reply(first)["nextCursor"])
            assert reply(following)["items"][0]["id"] == 7
            read = result_of(
                await shaped.call_tool("read_result", {"handle": reply(first)["uri"], "pointer": "/399/id"})
            )
            assert reply(read) == 399
            # The same tool, not as a task.
            assert reply(result_of(await shaped.call_tool("list_rows", {"count": 400})))["totalItems"] == 400
            # An error stays one, and fits.
            failed = await called(shaped, "fails", count=3000)
            assert failed.is_error and count_tokens(failed.content[0].text) <= POLICY["max_tokens"]

    anyio.run(steps)


def test_a_wrong_control_is_refused_before_the_task_runs() -> None:
    async def steps() -> None:
        async with connected(True) as shaped:
            before = len(RUNS)
            for wrong, code in (({"page": 0}, "INVALID_CALL"), ({"cursor": "none of ours"}, "INVALID_CURSOR")):
                with pytest.raises(McpError, match=code) as raised:
                    await started(shaped, "list_rows", count=400, **wrong)
                assert raised.value.error.code == -32602
            assert len(RUNS) == before

    anyio.run(steps)


def test_a_task_that_there_is_not_is_refused_as_before() -> None:
    async def steps() -> None:
        async with connected(True) as shaped, connected(False) as naive:
            refusals = []
            for session in (shaped, naive):
                with pytest.raises(McpError) as raised:
                    await ended(session, "none")
                refusals.append((raised.value.error.code, raised.value.error.message))
            assert refusals[0] == refusals[1]

    anyio.run(steps)
