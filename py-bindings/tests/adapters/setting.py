"""What a row of the table is tried in: a column, and clients of its servers with and without the line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from adapters.clients import Peer, Servers, connected
from adapters.table import Column


@dataclass
class Setting:
    """``peer`` is a client of a server with the line and a store; ``naive`` of one without the line; ``bare`` of one
    with the line alone, and known to it as VS Code."""

    column: Column
    servers: Servers
    peer: Peer
    naive: Peer
    bare: Peer

    def errors(self, how: str = "shaped") -> str:
        """What the servers wrote to standard error by now."""
        return self.servers.errors_of(self.column.sdk, self.column.transport, how).read_text("utf-8")


@asynccontextmanager
async def setting(servers: Servers, column: Column) -> AsyncIterator[Setting]:
    # What a server says without the line is the same over each transport.
    over_http = replace(column, transport="http")
    async with (
        connected(servers, column, "shaped") as peer,
        connected(servers, over_http, "naive") as naive,
        connected(servers, column, "bare", name="Visual Studio Code") as bare,
    ):
        yield Setting(column, servers, peer, naive, bare)
