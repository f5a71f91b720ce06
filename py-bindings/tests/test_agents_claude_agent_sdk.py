"""The options for the Claude Agent SDK: its hook as the SDK calls it, and its server."""

from __future__ import annotations

import asyncio
import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk")

from agent_tools import LOG, POLICY, ROWS
from claude_agent_sdk import ClaudeAgentOptions
from mcp.shared.memory import create_connected_server_and_client_session
from toolshape import MemoryStore, count_tokens
from toolshape.claude_agent_sdk import Toolshape

IMAGE = {"type": "image", "source": {"type": "base64", "data": "pixels" * 9000}}
NAMES = [f"src/a/long/folder/of/files/file{each}.rs" for each in range(400)]


def made() -> Toolshape:
    return Toolshape(POLICY, store=MemoryStore())


def hooked(shape: Toolshape, tool: str, response: Any) -> Any:
    """What the hook replaces the result of a tool by."""
    event = {"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {}, "tool_response": response}
    answer = asyncio.run(shape.after_tool(event, None, None))
    return answer.get("hookSpecificOutput", {}).get("updatedToolOutput")


@pytest.mark.parametrize(
    ("tool", "response", "text"),
    [
        ("Bash", {"stdout": LOG, "stderr": "few", "interrupted": False}, lambda it: it["stdout"]),
        ("Read", {"type": "text", "file": {"content": LOG, "filePath": "a"}}, lambda it: it["file"]["content"]),
        ("Grep", {"mode": "content", "content": LOG, "filenames": []}, lambda it: it["content"]),
        ("Glob", {"filenames": NAMES, "durationMs": 1}, lambda it: it["filenames"][0]),
        ("mcp__db__all", json.dumps(ROWS), lambda it: it),
        ("mcp__db__all", [IMAGE, {"type": "text", "text": LOG}], lambda it: it[1]["text"]),
    ],
)
def test_a_result_keeps_the_form_of_its_tool(tool: str, response: Any, text: Any) -> None:
    before = copy.deepcopy(response)
    updated = hooked(made(), tool, response)
    assert response == before
    assert count_tokens(text(updated)) <= 600
    assert "toolshape://result/" in text(updated)
    if isinstance(response, dict):
        assert list(updated) == list(response)


@pytest.mark.parametrize(
    ("tool", "response"),
    [
        ("Bash", {"stdout": "few", "stderr": "", "interrupted": False}),
        ("Bash", {"stdout": LOG, "stderr": "", "isImage": True}),
        ("Read", {"type": "image"}),
        ("Edit", {"originalFile": LOG}),
        ("mcp__db__all", [IMAGE]),
        ("mcp__toolshape__read_result", LOG),
    ],
)
def test_all_else_passes(tool: str, response: Any) -> None:
    assert hooked(made(), tool, response) is None


def test_what_is_in_a_file_is_read_from_there(tmp_path: Path) -> None:
    file = tmp_path / "printed.txt"
    file.write_text(LOG)
    cut = {"stdout": LOG[:3000], "stderr": "", "persistedOutputPath": str(file), "persistedOutputSize": 9}
    updated = hooked(made(), "Bash", cut)
    assert list(updated) == ["stdout", "stderr"]
    assert "articles/2999" in updated["stdout"]


def test_the_rest_is_read_by_a_server_in_this_process() -> None:
    shape = made()
    options = shape.options(ClaudeAgentOptions(model="m", allowed_tools=["Bash"], hooks={"Stop": []}, mcp_servers={}))
    assert (options.model, options.allowed_tools) == ("m", ["Bash", "mcp__toolshape__read_result"])
    assert list(options.hooks or {}) == ["Stop", "PostToolUse"]
    # A result of 1 MB reaches the hook in one message.
    assert (options.max_buffer_size or 0) > 100_000_000
    updated = hooked(shape, "Bash", {"stdout": json.dumps(ROWS), "stderr": ""})
    found = re.search(r"result.([a-z]{16})", updated["stdout"])
    assert found is not None
    servers: Any = options.mcp_servers

    async def work() -> Any:
        async with create_connected_server_and_client_session(servers["toolshape"]["instance"]) as client:
            tools = await client.list_tools()
            return tools, await client.call_tool(
                "read_result", {"handle": found[1], "sql": "SELECT max(id) FROM result"}
            )

    tools, answer = asyncio.run(work())
    assert [tool.name for tool in tools.tools] == ["read_result"]
    assert json.loads(answer.content[0].text)["rows"] == [[399]]
