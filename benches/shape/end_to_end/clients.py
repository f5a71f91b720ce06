"""The SDKs' own clients, and the servers they call: each a process of its own."""

import atexit
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

from end_to_end.rows import SIZES
from end_to_end.servers import BUDGET, NAME

SDKS = ["Python mcp", "Python fastmcp"]
BENCH = Path(__file__).parents[1]
# No text within the budget is longer.
MOST_CHARS = BUDGET * 16


def how_of(sdk):
    """The servers that take turns, as in tool.mjs; and fastmcp's own answer to results that are too large."""
    peers = ["ResponseLimiting"] if sdk == "Python fastmcp" else []
    return ["naive", "shaped", "shaped, no store", "careful handler", *peers]


class Server:
    """A server over HTTP, which ends with this process."""

    def __init__(self, sdk, how):
        command = [sys.executable, "-m", "end_to_end.servers", sdk, "http", how]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, cwd=BENCH, text=True, **streams)
        atexit.register(self.process.kill)
        self.url = self.process.stdout.readline().strip()

    def resident(self):
        """Its resident memory in bytes, where the system reports it."""
        if sys.platform != "linux":
            return None
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) * 1024


@asynccontextmanager
async def connected(sdk, how, url=None):
    """A function that calls the server at an address, or without one a server that it starts on stdio."""
    arguments = ["-m", "end_to_end.servers", sdk, "stdio", how]
    if sdk == "Python mcp":
        import mcp
        from mcp.client.stdio import StdioServerParameters, stdio_client

        parameters = StdioServerParameters(command=sys.executable, args=arguments, cwd=BENCH, env=dict(os.environ))
        with open(os.devnull, "w") as nowhere:
            async with mcp.Client(url or stdio_client(parameters, errlog=nowhere)) as client:
                yield calling(client.call_tool, how)
    else:
        import fastmcp
        from fastmcp.client.transports import StdioTransport

        options = {"cwd": str(BENCH), "keep_alive": False, "log_file": Path(os.devnull), "env": dict(os.environ)}
        async with fastmcp.Client(url or StdioTransport(sys.executable, arguments, **options)) as client:
            yield calling(client.call_tool_mcp, how)


def calling(call_tool, how):
    async def call(count, version):
        result = await call_tool(NAME, {"count": count, "version": version})
        text = result.content[0].text
        is_whole = how == "naive" or count == SIZES["2 KB"]
        # A measure of results that are not what they should be would say nothing.
        if result.is_error or (len(text) < count * 150 if is_whole else len(text) > MOST_CHARS):
            raise RuntimeError(f"{how}, {count} rows: {text[:200]}")

    return call
