"""The tools of the Claude Agent SDK: ``query(prompt=prompt, options=Toolshape().options(options))``."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, SdkMcpTool, create_sdk_mcp_server

from . import _toolshape as core
from .agents import Adapted, HarnessTool, Parts

__all__ = ["Toolshape"]

_SERVER = "toolshape"
# Of the names that Claude Code gives to the server's tools.
_PREFIX = f"mcp__{_SERVER}__"
# The bytes of a message, and of a file that is read.
_MESSAGE_BYTES = 256_000_000


class Toolshape(Adapted):
    """Shapes the results of the tools of Claude Code, those of MCP servers too, and adds the tool ``read_result``."""

    def options(self, options: ClaudeAgentOptions | None = None) -> ClaudeAgentOptions:
        """The options with the hook, and with ``read_result``. Servers that are given by a path to their configuration are refused."""
        given = options or ClaudeAgentOptions()
        if not isinstance(given.mcp_servers, dict):
            raise TypeError("mcp_servers is a path: pass a dictionary")
        # Else the model has to search for the tool before it can call it.
        own: Any = {**create_sdk_mcp_server(_SERVER, tools=[*map(_tool, self.harness.tools)]), "alwaysLoad": True}
        hooks: Any = dict(given.hooks or {})
        hook = partial(self.after_tool, folder=_host_folder({**os.environ, **given.env}))
        hooks["PostToolUse"] = [*hooks.get("PostToolUse", []), HookMatcher(hooks=[hook])]
        return dataclasses.replace(
            given,
            hooks=hooks,
            mcp_servers={**given.mcp_servers, _SERVER: own},
            allowed_tools=[*given.allowed_tools, *(_PREFIX + tool.name for tool in self.harness.tools)],
            # The hook gets results whole; the SDK ends the run at a message over its own limit.
            max_buffer_size=given.max_buffer_size or _MESSAGE_BYTES,
            # A result over it goes into a file before the hook.
            env={"MAX_MCP_OUTPUT_TOKENS": "100000000", **given.env},
        )

    async def after_tool(self, event: Any, tool_use_id: Any, context: Any, folder: Path | None = None) -> Any:
        """The hook ``PostToolUse`` of ``options``. ``folder`` is that of Claude Code's files."""
        tool, response = event["tool_name"], event["tool_response"]
        if tool == "Bash":
            response = _complete(response, folder or _host_folder(os.environ))
        found = [] if tool.startswith(_PREFIX) else core.call("hookTexts", tool=tool, response=response)
        if not found:
            return {}
        pointers, texts = zip(*found)
        result = await self.harness.after(tool, event["tool_input"], Parts(texts))
        return core.call("hookOutput", response=response, pointers=pointers, parts=result.parts) if result else {}


def _host_folder(env: Mapping[str, str]) -> Path:
    return Path(env["CLAUDE_CONFIG_DIR"]) if "CLAUDE_CONFIG_DIR" in env else Path.home() / ".claude"


def _complete(response: Any, folder: Path) -> Any:
    """What a command printed, with what Claude Code has put into a file, because it is long.

    Servers name any path: only a file in the folder of Claude Code's own is read, and no link out of it.
    """
    if not isinstance(response, dict) or not isinstance(named := response.get("persistedOutputPath"), str):
        return response
    with suppress(OSError, ValueError):
        file = Path(named).resolve(strict=True)
        is_own = file.is_relative_to(folder.resolve(strict=True)) and file.parent.name == "tool-results"
        if is_own and file.is_file() and file.stat().st_size <= _MESSAGE_BYTES:
            whole = {**response, "stdout": file.read_text("utf-8", "replace")}
            return {name: value for name, value in whole.items() if not name.startswith("persistedOutput")}
    return response


def _tool(tool: HarnessTool) -> SdkMcpTool[Any]:
    async def read(arguments: Any) -> dict[str, Any]:
        result = await tool.call(arguments)
        return {"content": result.blocks, "is_error": result.is_error}

    return SdkMcpTool(tool.name, tool.description, tool.parameters, read)
