"""A server with the tool `read_result` alone, for the results that a gateway's hook keeps: python read_result.py FOLDER"""

import sys

from mcp.server.fastmcp import FastMCP
from toolshape.mcp import shape_server
from toolshape.stores import FileStore

server = FastMCP("toolshape")
shape_server(server, {}, store=FileStore(sys.argv[1]))
server.run()
