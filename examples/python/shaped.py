"""The articles over stdio. ``naive.py`` and ``shaped.py`` differ by one line, and by what it imports."""

import sys

from articles import Articles
from fastmcp import FastMCP
from policy import POLICY
from tools import add_tools
from toolshape.fastmcp import ShapingMiddleware

mcp = FastMCP("articles")
mcp.add_middleware(ShapingMiddleware(POLICY, summarize=True))
add_tools(mcp, Articles(sys.argv[1] if len(sys.argv) > 1 else "articles.db"))
mcp.run(show_banner=False, log_level="WARNING")
