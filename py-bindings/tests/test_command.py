"""The console script: a server behind it, called by the SDK's own client."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SERVER = """
import sys
from mcp.server import MCPServer

server = MCPServer("rows")

@server.tool()
def list_rows(count: int) -> list[dict[str, object]]:
    return [{"id": at, "name": f"row {at}"} for at in range(count)]

server.run()
"""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "toolshape", *arguments]


@pytest.fixture
def server(tmp_path: Path) -> str:
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return str(path)


def test_a_server_behind_the_command_is_shaped(server: str) -> None:
    async def talk() -> None:
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "toolshape", "--", sys.executable, server]
        )
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            assert names == ["list_rows", "read_result_rows"]
            result = await session.call_tool("list_rows", {"count": 500})
            page = json.loads(result.content[0].text)
            assert page["totalItems"] == 500
            handle = page["uri"].rpartition("/")[2]
            asked = {"handle": handle, "sql": "SELECT count(*), max(id) FROM result"}
            answer = await session.call_tool("read_result_rows", asked)
            assert json.loads(answer.content[0].text)["rows"] == [[500, 499]]

    anyio.run(talk)


def test_the_exit_code_is_handed_on() -> None:
    ended = subprocess.run(command("--", "sh", "-c", "exit 7"), input=b"", capture_output=True, check=False)
    assert ended.returncode == 7


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupt_ends_the_server_without_a_traceback() -> None:
    script = "trap 'exit 9' INT; echo '{}'; while :; do sleep 0.05; done"
    running = subprocess.Popen(command("--", "sh", "-c", script), stdin=-1, stdout=-1, stderr=-1)
    assert running.stdout is not None and running.stderr is not None
    assert running.stdout.readline() == b"{}\n"
    running.send_signal(signal.SIGINT)
    assert running.wait(10) == 9
    assert running.stderr.read() == b""


def test_the_script_has_the_same_command_line() -> None:
    script = Path(sys.executable).parent / "toolshape"
    output_text = [
        subprocess.run([*start, "--help"], capture_output=True, check=True).stdout for start in ([script], command())
    ]
    assert output_text[0] == output_text[1]
    assert output_text[0].startswith(b"Runs toolshape as a proxy in front of any MCP server")
