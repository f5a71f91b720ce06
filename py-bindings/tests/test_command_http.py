"""The command before a server behind streamable HTTP, in both eras of MCP."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

SERVER = """
import sys
import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from pydantic import BaseModel

server = MCPServer("rows", log_level="ERROR")

class Person(BaseModel):
    name: str

@server.tool()
def list_rows(count: int) -> list[dict[str, object]]:
    return [{"id": at, "name": f"row {at}"} for at in range(count)]

@server.tool()
async def slow(ctx: Context) -> str:
    for at in range(3):
        await ctx.report_progress(at, 3)
    return "done"

@server.tool()
async def ask(ctx: Context) -> str:
    return str(await ctx.elicit("Who?", Person))

server.run(transport="streamable-http", port=int(sys.argv[1]))
"""
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("http") / "server.py"
    path.write_text(SERVER)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    running = subprocess.Popen([sys.executable, path, str(port)])
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.1)
    yield f"http://127.0.0.1:{port}/mcp"
    running.kill()
    running.wait()


def relay(*arguments: str) -> list[str]:
    return ["-m", "toolshape", *arguments]


def test_a_server_with_sessions(address: str) -> None:
    progress: list[float] = []

    async def answered(_context: Any, _params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    async def reported(done: float, _total: float | None, _message: str | None) -> None:
        progress.append(done)

    async def talk() -> None:
        parameters = StdioServerParameters(command=sys.executable, args=relay("--url", address))
        async with (
            stdio_client(parameters) as streams,
            ClientSession(*streams, elicitation_callback=answered) as session,
        ):
            await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            assert names == ["list_rows", "slow", "ask", "read_result_rows"]
            rows = await session.call_tool("list_rows", {"count": 500})
            assert json.loads(rows.content[0].text)["totalItems"] == 500
            await session.call_tool("slow", {}, progress_callback=reported)
            assert "Ada" in (await session.call_tool("ask", {})).content[0].text

    anyio.run(talk)
    assert progress == [0, 1, 2]


def converse(arguments: list[str], *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers to messages that are sent one after the other."""
    running = subprocess.Popen([sys.executable, *arguments], stdin=-1, stdout=-1, stderr=subprocess.DEVNULL)
    assert running.stdin is not None and running.stdout is not None
    answers = []
    for message in messages:
        running.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        running.stdin.flush()
        answers.append(json.loads(running.stdout.readline()))
    running.stdin.close()
    assert running.wait(20) == 0
    return answers


def test_a_server_without_sessions(address: str) -> None:
    call = {"name": "list_rows", "arguments": {"count": 500}, "_meta": MODERN}
    answers = converse(
        relay("--url", address),
        {"id": "d", "method": "server/discover", "params": {"_meta": MODERN}},
        {"id": 1, "method": "tools/call", "params": call},
        {"id": 2, "method": "nonsense", "params": {"_meta": MODERN}},
    )
    assert [answer["id"] for answer in answers] == ["d", 1, 2]
    assert "2026-07-28" in answers[0]["result"]["supportedVersions"]
    assert json.loads(answers[1]["result"]["content"][0]["text"])["totalItems"] == 500
    assert answers[2]["error"]["code"] == -32601


def test_a_server_that_is_not_there_is_named() -> None:
    address = "http://user:secret@127.0.0.1:9/secret?key=secret"
    [answer] = converse(relay("--url", address), {"id": 1, "method": "ping"})
    assert answer["error"]["message"].startswith("cannot reach http://127.0.0.1:9: ")
    assert "secret" not in answer["error"]["message"]


@pytest.mark.parametrize("header", ["no colon", "bad name: x"])
def test_a_wrong_header_is_named(header: str) -> None:
    command = [sys.executable, *relay("--url", "http://127.0.0.1:9", "--header", header)]
    ended = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert ended.returncode == 2
    assert b"invalid header" in ended.stderr


def test_an_address_and_a_command_exclude_each_other(tmp_path: Path) -> None:
    command = [sys.executable, *relay("--url", "http://127.0.0.1:9", "--", "sh")]
    ended = subprocess.run(command, input=b"", capture_output=True, check=False, cwd=tmp_path)
    assert ended.returncode == 2
