"""A server of MCP over stdio with one tool, which lists rows: ``python agent_server.py NAME``."""

from __future__ import annotations

import json
import sys

from adapters.sdks import MCPServer
from agent_tools import ROWS

NAME = sys.argv[1]
server = MCPServer(NAME)


@server.tool(name=f"{NAME}_rows", structured_output=False)
def rows() -> str:
    return json.dumps([{**row, "server": NAME} for row in ROWS])


server.run()
