"""The SDKs' own clients, each connected to a server in a process of its own, with the same few calls."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import fastmcp
import mcp
import mcp_types as mt
from fastmcp.client.transports import StdioTransport
from mcp.client.stdio import StdioServerParameters, stdio_client

from adapters.table import Column

TESTS = Path(__file__).parents[1]
ERA_MODES = {"2025": "legacy", "2026": "2026-07-28"}
# What the user says to every question.
ANSWER = {"name": "Ada"}


class Peer(Protocol):
    """What both clients can be asked for, as it came over the wire; ``questions`` are those of servers to the user."""

    questions: list[str]

    async def tools(self) -> dict[str, mt.Tool]: ...

    async def call(self, name: str, /, **arguments: Any) -> mt.CallToolResult: ...

    async def progress_of(self, name: str, /, **arguments: Any) -> tuple[list[float], mt.CallToolResult]: ...

    async def templates(self) -> list[str]: ...

    async def read(self, uri: str) -> list[Any]: ...


class PlainPeer:
    def __init__(self, client: mcp.Client, questions: list[str]) -> None:
        self._client, self.questions = client, questions

    async def tools(self) -> dict[str, mt.Tool]:
        return {tool.name: tool for tool in (await self._client.list_tools()).tools}

    async def call(self, name: str, /, **arguments: Any) -> mt.CallToolResult:
        return await self._client.call_tool(name, arguments)

    async def progress_of(self, name: str, /, **arguments: Any) -> tuple[list[float], mt.CallToolResult]:
        seen: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        return seen, await self._client.call_tool(name, arguments, progress_callback=on_progress)

    async def templates(self) -> list[str]:
        return [one.uri_template for one in (await self._client.list_resource_templates()).resource_templates]

    async def read(self, uri: str) -> list[Any]:
        return (await self._client.read_resource(uri)).contents


class FastPeer:
    def __init__(self, client: fastmcp.Client[Any], questions: list[str]) -> None:
        self._client, self.questions = client, questions

    async def tools(self) -> dict[str, mt.Tool]:
        return {tool.name: tool for tool in await self._client.list_tools()}

    async def call(self, name: str, /, **arguments: Any) -> mt.CallToolResult:
        return await self._client.call_tool_mcp(name, arguments)

    async def progress_of(self, name: str, /, **arguments: Any) -> tuple[list[float], mt.CallToolResult]:
        seen: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        return seen, await self._client.call_tool_mcp(name, arguments, progress_handler=on_progress)

    async def templates(self) -> list[str]:
        return [one.uri_template for one in await self._client.list_resource_templates()]

    async def read(self, uri: str) -> list[Any]:
        return await self._client.read_resource(uri)


@dataclass
class Servers:
    """The servers of a run: over HTTP one for all eras and clients, on stdio one for each client."""

    errors: Path
    running: dict[tuple[str, str], subprocess.Popen[str]] = field(default_factory=dict)
    urls: dict[tuple[str, str], str] = field(default_factory=dict)

    def start(self, sdk: str) -> None:
        """Starts those of an SDK that serve over HTTP."""
        for how in ("shaped", "naive", "bare"):
            with self.errors_of(sdk, "http", how).open("a") as errors:
                command = command_of(sdk, "http", how)
                process = subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, stderr=errors, text=True)
            self.running[sdk, how] = process

    def url(self, sdk: str, how: str) -> str:
        if (sdk, how) not in self.running:
            self.start(sdk)
        if (sdk, how) not in self.urls:
            stdout = self.running[sdk, how].stdout
            assert stdout is not None
            self.urls[sdk, how] = stdout.readline().strip()
        return self.urls[sdk, how]

    def errors_of(self, sdk: str, transport: str, how: str) -> Path:
        """What such servers write to standard error."""
        return self.errors / f"{sdk}-{transport}-{how}.txt"

    def stop(self) -> None:
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            process.communicate()


def command_of(sdk: str, transport: str, how: str) -> list[str]:
    return [sys.executable, "-m", "adapters.servers", sdk, transport, how]


@asynccontextmanager
async def connected(servers: Servers, column: Column, how: str, *, name: str = "somebody") -> AsyncIterator[Peer]:
    """A client of a server that is shaped, naive or bare: shaped without a store and without receipts."""
    info = mt.Implementation(name=name, version="1.0.0")
    mode = ERA_MODES[column.era]
    command, *arguments = command_of(column.sdk, "stdio", how)
    errors = servers.errors_of(column.sdk, "stdio", how)
    url = servers.url(column.sdk, how) if column.transport == "http" else None
    questions: list[str] = []
    transport: Any
    if column.sdk == "mcp":

        async def answer(context: Any, params: Any) -> mt.ElicitResult:
            questions.append(params.message)
            return mt.ElicitResult(action="accept", content=ANSWER)

        with errors.open("a") as log:
            parameters = StdioServerParameters(command=command, args=arguments, cwd=TESTS)
            transport = url or stdio_client(parameters, errlog=log)
            async with mcp.Client(transport, mode=mode, client_info=info, elicitation_callback=answer) as client:
                yield PlainPeer(client, questions)
    else:

        async def answer_of_user(message: str, kind: Any, params: Any, context: Any) -> dict[str, Any]:
            questions.append(message)
            return ANSWER

        transport = url or StdioTransport(command, arguments, cwd=str(TESTS), keep_alive=False, log_file=errors)
        asked = fastmcp.Client(transport, mode=mode, client_info=info, elicitation_handler=answer_of_user)
        async with asked as fast:
            yield FastPeer(fast, questions)
