"""The SDKs' own clients, each connected to a server in a process of its own, with the same few calls."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

from adapters.sdks import FAST, PLAIN, mt, result_of
from adapters.table import Column

if FAST is not None:
    import fastmcp
    from fastmcp.client.transports import StdioTransport

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
    """A ``Client`` of ``mcp`` 2.x, or a ``ClientSession`` of 1.x."""

    def __init__(self, client: Any, questions: list[str]) -> None:
        self._client, self.questions = client, questions

    async def tools(self) -> dict[str, mt.Tool]:
        return {tool.name: tool for tool in (await self._client.list_tools()).tools}

    async def call(self, name: str, /, **arguments: Any) -> mt.CallToolResult:
        return result_of(await self._client.call_tool(name, arguments))

    async def progress_of(self, name: str, /, **arguments: Any) -> tuple[list[float], mt.CallToolResult]:
        seen: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        return seen, result_of(await self._client.call_tool(name, arguments, progress_callback=on_progress))

    async def templates(self) -> list[str]:
        return templates_of(
            (await self._client.list_resource_templates()).model_dump(by_alias=True)["resourceTemplates"]
        )

    async def read(self, uri: str) -> list[Any]:
        return (await self._client.read_resource(uri)).contents


class FastPeer:
    def __init__(self, client: Any, questions: list[str]) -> None:
        self._client, self.questions = client, questions

    async def tools(self) -> dict[str, mt.Tool]:
        return {tool.name: tool for tool in await self._client.list_tools()}

    async def call(self, name: str, /, **arguments: Any) -> mt.CallToolResult:
        return result_of(await self._client.call_tool_mcp(name, arguments))

    async def progress_of(self, name: str, /, **arguments: Any) -> tuple[list[float], mt.CallToolResult]:
        seen: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        return seen, result_of(await self._client.call_tool_mcp(name, arguments, progress_handler=on_progress))

    async def templates(self) -> list[str]:
        return templates_of([one.model_dump(by_alias=True) for one in await self._client.list_resource_templates()])

    async def read(self, uri: str) -> list[Any]:
        return await self._client.read_resource(uri)


def templates_of(listed: list[dict[str, Any]]) -> list[str]:
    return [one["uriTemplate"] for one in listed]


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
    errors = servers.errors_of(column.sdk, "stdio", how)
    url = servers.url(column.sdk, how) if column.transport == "http" else None
    questions: list[str] = []
    if column.sdk == PLAIN:

        async def answer(context: Any, params: Any) -> mt.ElicitResult:
            questions.append(params.message)
            return mt.ElicitResult(action="accept", content=ANSWER)

        with errors.open("a") as log:
            command, *arguments = command_of(column.sdk, "stdio", how)
            parameters = StdioServerParameters(command=command, args=arguments, cwd=TESTS)
            stdio = None if url else stdio_client(parameters, errlog=log)
            options = {"client_info": info, "elicitation_callback": answer}
            opened = session if PLAIN == "mcp1" else client_2
            async with opened(url, stdio, column.era, **options) as client:
                yield PlainPeer(client, questions)
    else:

        async def answer_of_user(message: str, kind: Any, params: Any, context: Any) -> dict[str, Any]:
            questions.append(message)
            return ANSWER

        command, *arguments = command_of(column.sdk, "stdio", how)
        transport = url or StdioTransport(command, arguments, cwd=str(TESTS), keep_alive=False, log_file=errors)
        mode = {"mode": ERA_MODES[column.era]} if FAST == "py-fastmcp" else {}
        async with fastmcp.Client(transport, client_info=info, elicitation_handler=answer_of_user, **mode) as fast:
            yield FastPeer(fast, questions)


def client_2(url: str | None, stdio: Any, era: str, **options: Any) -> Any:
    """A client of ``mcp`` 2.x."""
    return mcp.Client(url or stdio, mode=ERA_MODES[era], **options)


@asynccontextmanager
async def session(url: str | None, stdio: Any, era: str, **options: Any) -> AsyncIterator[Any]:
    """A client of ``mcp`` 1.x, which knows one era."""
    assert era == "2025"
    if url is not None:
        from mcp.client.streamable_http import streamable_http_client

        stdio = streamable_http_client(url)
    async with stdio as (read, write, *_), mcp.ClientSession(read, write, **options) as client:
        await client.initialize()
        yield client


@asynccontextmanager
async def in_process(server: Any, **options: Any) -> AsyncIterator[Peer]:
    """A client of a server in this process; ``options`` are those of the SDK's own client."""
    if FAST is not None and isinstance(server, fastmcp.FastMCP):
        async with fastmcp.Client(server, **options) as fast:
            yield FastPeer(fast, [])
    elif PLAIN == "mcp1":
        from mcp.shared.memory import create_connected_server_and_client_session

        async with create_connected_server_and_client_session(
            getattr(server, "_mcp_server", server), **options
        ) as client:
            yield PlainPeer(client, [])
    else:
        async with mcp.Client(server, **options) as plain:
            yield PlainPeer(plain, [])
