"""The tools of the Claude Agent SDK: ``query(prompt=prompt, options=Toolshape().options(options))``."""

from __future__ import annotations

import copy
import dataclasses
from contextlib import suppress
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, SdkMcpTool, create_sdk_mcp_server

from .agents import Adapted, HarnessTool, Parts

__all__ = ["Toolshape"]

_SERVER = "toolshape"
# Of the names that Claude Code gives to the server's tools.
_PREFIX = f"mcp__{_SERVER}__"
_MESSAGE_BYTES = 256_000_000
# Where the results of tools have the texts that a model reads. A list of texts is read line by line.
_PLACES: dict[str, list[tuple[str, ...]]] = {
    "Bash": [("stdout",), ("stderr",)],
    "Read": [("file", "content")],
    "Grep": [("content",), ("filenames",)],
    "Glob": [("filenames",)],
    "WebFetch": [("result",)],
}


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
        tool, root = event["tool_name"], {"response": _complete(copy.deepcopy(event["tool_response"]))}
        places = [(holder, key) for holder, key in _places(tool, root) if _text(holder.get(key))]
        if not places or tool.startswith(_PREFIX):
            return {}
        texts = Parts([_text(holder[key]) for holder, key in places])
        result = await self.harness.call(tool, event["tool_input"], lambda _: texts)
        if result.is_unchanged:
            return {}
        # Texts that were made one are where the first was.
        parts = result.parts if len(result.parts) == len(places) else [result.text, *[""] * (len(places) - 1)]
        for (holder, key), text in zip(places, parts):
            holder[key] = [text] if isinstance(holder[key], list) else text
        return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": root["response"]}}


def _places(tool: str, root: dict[str, Any]) -> list[tuple[Any, str]]:
    """The objects and keys of the texts in a result."""
    response = root["response"]
    if tool in _PLACES and isinstance(response, dict) and not response.get("isImage"):
        return [(response if len(path) == 1 else response.get(path[0]) or {}, path[-1]) for path in _PLACES[tool]]
    if not tool.startswith("mcp__"):
        return []
    if isinstance(response, str):
        return [(root, "response")]
    blocks = response.get("content") if isinstance(response, dict) else response
    return [(block, "text") for block in blocks or [] if isinstance(block, dict) and block.get("type") == "text"]


def _text(value: Any) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def _complete(response: Any) -> Any:
    """A result with what Claude Code has put into a file, because it is long."""
    if isinstance(response, dict) and isinstance(file := response.get("persistedOutputPath"), str):
        with suppress(OSError):
            response["stdout"] = Path(file).read_text("utf-8", "replace")
            del response["persistedOutputPath"]
            response.pop("persistedOutputSize", None)
    return response


def _tool(tool: HarnessTool) -> SdkMcpTool[Any]:
    async def read(arguments: Any) -> dict[str, Any]:
        result = await tool.call(arguments)
        return {"content": result.blocks, "is_error": result.is_error}

    return SdkMcpTool(tool.name, tool.description, tool.parameters, read)
