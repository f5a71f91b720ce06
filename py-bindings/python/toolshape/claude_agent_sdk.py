"""The tools of the Claude Agent SDK: ``query(prompt=prompt, options=Toolshape().options(options))``."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, SdkMcpTool, create_sdk_mcp_server

from . import _toolshape as core
from .agents import Adapted, HarnessTool, Parts

__all__ = ["Toolshape"]

_SERVER = "toolshape"
# Of the names that Claude Code gives to the server's tools.
_PREFIX = f"mcp__{_SERVER}__"
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
        hooks["PostToolUse"] = [*hooks.get("PostToolUse", []), HookMatcher(hooks=[self.after_tool])]
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

    async def after_tool(self, event: Any, tool_use_id: Any, context: Any) -> Any:
        """The hook ``PostToolUse`` of ``options``."""
        tool, response = event["tool_name"], _complete(event["tool_response"])
        found = [] if tool.startswith(_PREFIX) else core.call("hookTexts", tool=tool, response=response)
        if not found:
            return {}
        pointers, texts = zip(*found)
        result = await self.harness.after(tool, event["tool_input"], Parts(texts))
        return core.call("hookOutput", response=response, pointers=pointers, parts=result.parts) if result else {}


def _complete(response: Any) -> Any:
    """A result with what Claude Code has put into a file, because it is long."""
    if isinstance(response, dict) and isinstance(file := response.get("persistedOutputPath"), str):
        with suppress(OSError):
            whole = {**response, "stdout": Path(file).read_text("utf-8", "replace")}
            return {name: value for name, value in whole.items() if not name.startswith("persistedOutput")}
    return response


def _tool(tool: HarnessTool) -> SdkMcpTool[Any]:
    async def read(arguments: Any) -> dict[str, Any]:
        result = await tool.call(arguments)
        return {"content": result.blocks, "is_error": result.is_error}

    return SdkMcpTool(tool.name, tool.description, tool.parameters, read)
