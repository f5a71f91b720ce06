"""A server with the tool `read_result` alone, for the results that a gateway's hook keeps: python read_result.py FOLDER"""

import sys

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:  # mcp 1
    from mcp.server.fastmcp import FastMCP as MCPServer
from toolshape.mcp import shape_server
from toolshape.stores import FileStore

server = MCPServer("toolshape")
shape_server(server, {}, store=FileStore(sys.argv[1]))
server.run()
