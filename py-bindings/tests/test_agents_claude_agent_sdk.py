"""Agents of the Claude Agent SDK: its program, in front of a scripted model; and its hook, as the SDK calls it."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk")

from agent_table import Read, check, check_tests, rows_of, servers_of
from agent_tools import ERRORS, LOG, POLICY, ROWS
from agent_tools import flaky as flaky_rows
from agent_tools import odd as odd_rows
from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    create_sdk_mcp_server,
    query,
    tool,
)
from claude_endpoint import Script, endpoint
from toolshape import MemoryStore, count_tokens
from toolshape.claude_agent_sdk import Toolshape

IMAGE = {"type": "image", "source": {"type": "base64", "data": "pixels" * 9000}}
# One pixel.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
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


def test_of_the_files_that_a_result_names_only_those_of_the_host_are_read(tmp_path: Path) -> None:
    own, other = (tmp_path / name for name in ("claude/projects/p/s/tool-results", "other/tool-results"))
    for folder in (own, other):
        folder.mkdir(parents=True)
        (folder / "printed.txt").write_text(LOG)
    (tmp_path / "claude/credentials.txt").write_text(LOG)
    (own / "link.txt").symlink_to(other / "printed.txt")
    options = made().options(ClaudeAgentOptions(env={"CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}))
    hook: Any = (options.hooks or {})["PostToolUse"][-1].hooks[0]

    def read(tool: str, file: Path | str) -> Any:
        response = {"stdout": "a few", "stderr": "", "persistedOutputPath": str(file), "persistedOutputSize": 9}
        event = {"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {}, "tool_response": response}
        return asyncio.run(hook(event, None, None)).get("hookSpecificOutput", {}).get("updatedToolOutput")

    updated = read("Bash", own / "printed.txt")
    assert list(updated) == ["stdout", "stderr"]
    assert "articles/2999" in updated["stdout"]
    up = own / "../../../../../other/tool-results/printed.txt"
    for file in (
        other / "printed.txt",
        own / "link.txt",
        up,
        tmp_path / "claude/credentials.txt",
        own,
        "/dev/zero",
        "\0",
    ):
        assert read("Bash", file) is None, file
    assert read("mcp__db__all", own / "printed.txt") is None


def test_other_options_stay() -> None:
    options = made().options(ClaudeAgentOptions(model="m", allowed_tools=["Bash"], hooks={"Stop": []}, mcp_servers={}))
    assert (options.model, options.allowed_tools) == ("m", ["Bash", "mcp__toolshape__read_result"])
    assert list(options.hooks or {}) == ["Stop", "PostToolUse"]
    # A result of 1 MB reaches the hook in one message.
    assert (options.max_buffer_size or 0) > 100_000_000


def printed(value: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value, default=str)}]}


@tool("rows", "Rows", {})
async def rows(_: Any) -> Any:
    return printed(ROWS)


@tool("odd", "Odd rows", {})
async def odd(_: Any) -> Any:
    return printed(odd_rows())


@tool("log", "A log", {})
async def log(_: Any) -> Any:
    return printed(LOG)


@tool("few", "A few", {})
async def few(_: Any) -> Any:
    return printed([1, 2, 3])


@tool("flaky", "Fails at first", {})
async def flaky(_: Any) -> Any:
    return printed(flaky_rows())


@tool("shot", "A picture", {})
async def shot(_: Any) -> Any:
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    return {"content": [image, *printed(LOG)["content"]]}


@tool("slow", "Takes long", {})
async def slow(_: Any) -> Any:
    await asyncio.sleep(30)
    return printed("late")


TOOLS = [rows, odd, log, few, flaky, shot, slow]
# What keeps the program from other hosts than the script.
QUIET = dict.fromkeys(
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING", "DISABLE_TELEMETRY"),
    "1",
)


async def ran(*turns: Any, stop_at: type | None = None, **given: Any) -> tuple[Script, list[Any]]:
    """The script after a run of Claude Code, and the messages of the run; it is left at the first of a type."""
    script = Script(turns)
    messages: list[Any] = []
    with endpoint(script) as url, TemporaryDirectory(ignore_cleanup_errors=True) as home:
        env = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-dummy", "CLAUDE_CONFIG_DIR": home, **QUIET}
        own: Any = {**create_sdk_mcp_server("own", tools=TOOLS), "alwaysLoad": True}
        servers: Any = {name: {**each, "alwaysLoad": True} for name, each in servers_of(turns).items()}
        allowed = ["Bash", "mcp__own", *(f"mcp__{name}" for name in servers)]
        members = {"allowed_tools": allowed, "setting_sources": [], "model": "claude-sonnet-4-5", **given}
        options = made().options(ClaudeAgentOptions(mcp_servers={"own": own, **servers}, env=env, cwd=home, **members))
        async with ClaudeSDKClient(options) as client:
            await client.query("go")
            async for message in client.receive_response():
                messages.append(message)
                if stop_at is not None and isinstance(message, stop_at):
                    await client.interrupt()
    return script, messages


def reads(turns: Any) -> list[Read]:
    """What the model reads of each result, without what Claude Code adds."""

    def one(block: Any) -> Read:
        parts = block["content"]
        parts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
        texts = [part["text"] for part in parts if part["type"] == "text" and not part["text"].startswith("[Image")]
        return "".join(texts).partition("<system-reminder>")[0].rstrip("\n"), any(
            part["type"] == "image" for part in parts
        )

    return [one(block) for block in asyncio.run(ran(*turns))[0].read]


@rows_of("claude_agent_sdk")
def test_row(row: Any) -> None:
    # Without toolshape, Claude Code puts long results into files and shows their start.
    check({**row, "share": 0.1} if "share" in row else row, reads)


def test_every_row_has_a_test() -> None:
    check_tests("claude_agent_sdk", globals())


def test_the_tools_of_claude_code() -> None:
    command = {"command": "seq 100000", "description": "Counts"}
    ((counted, _), (answer, _)) = reads([[("Bash", command)], [("read_result", {"handle": "none"})]])
    assert count_tokens(counted) <= 600
    assert json.loads(counted)["totalLines"] == 100_000
    assert json.loads(answer)["error"] == "INVALID_HANDLE"


def test_the_hook_of_the_program(tmp_path: Path) -> None:
    folder = str(Path(sys.executable).parent)
    home = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path), "PATH": f"{folder}:{os.environ['PATH']}"}
    subprocess.run([f"{folder}/toolshape", "hook", "install"], env={**os.environ, **home}, check=True)

    def read(results: Any) -> Any:
        handle = results[0]["content"].partition("toolshape://result/")[2][:16]
        command = f"{folder}/toolshape read {handle} --lines 5000-5001"
        return [("Bash", {"command": command, "description": "Reads"})]

    async def work() -> Script:
        script = Script([[("Bash", {"command": "seq 100000", "description": "Counts"})], read])
        with endpoint(script) as url:
            env = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-dummy", **home, **QUIET}
            own: Any = {"setting_sources": ["user"], "allowed_tools": ["Bash(seq:*)"], "model": "claude-sonnet-4-5"}
            async for _ in query(prompt="go", options=ClaudeAgentOptions(env=env, cwd=home["HOME"], **own)):
                pass
        return script

    counted, rest = (block["content"] for block in asyncio.run(work()).read)
    assert count_tokens(counted.partition("<system-reminder>")[0]) <= 2000
    assert '"text":"5000\\n5001\\n"' in rest


def test_errors_keep_their_meaning() -> None:
    ERRORS.append(ValueError("no such article"))
    ((failed, _), (command, _)) = reads([[("flaky", {})], [("Bash", {"command": "exit 3", "description": "Fails"})]])
    assert (failed, command) == ("no such article", "Exit code 3")


def test_a_retry() -> None:
    ERRORS.append(ValueError("try again"))
    ((failed, _), (page, _)) = reads([[("flaky", {})], [("flaky", {})]])
    assert failed == "try again"
    assert json.loads(page)["totalItems"] == 400


def test_a_cancelled_run() -> None:
    started = monotonic()
    _, messages = asyncio.run(ran([("slow", {})], stop_at=AssistantMessage))
    assert messages[-1].subtype == "error_during_execution"
    assert monotonic() - started < 20


def test_an_interrupt_passes() -> None:
    asked: list[str] = []

    async def person(name: str, *_: Any) -> Any:
        asked.append(name)
        return PermissionResultAllow()

    script, _ = asyncio.run(ran([("rows", {})], allowed_tools=[], can_use_tool=person))
    assert asked == ["mcp__own__rows"]
    assert json.loads(script.read[0]["content"][0]["text"])["totalItems"] == 400


def test_a_trace() -> None:
    seen: list[Any] = []

    async def note(event: Any, *_: Any) -> Any:
        seen.append((event["tool_name"], str(event["tool_response"])))
        return {}

    asyncio.run(ran([("rows", {})], hooks={"PostToolUse": [HookMatcher(hooks=[note])]}))
    ((name, response),) = seen
    assert name == "mcp__own__rows"
    assert "the row of number 399" in response


def test_a_stream() -> None:
    _, messages = asyncio.run(ran([("rows", {})]))
    kinds = [type(message).__name__ for message in messages]
    assert [kind for kind in kinds if kind != "SystemMessage"] == [
        "AssistantMessage",
        "UserMessage",
        "AssistantMessage",
        "ResultMessage",
    ]
    assert messages[-1].result == "done"
