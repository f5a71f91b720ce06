"""One replica of a server that is shaped by one line, in Python's FastMCP: stateless, over HTTP on loopback, its results in
Redis where an address is given, and otherwise in its own memory, as by default.

Every replica returns the same. Prints its port once it listens. Usage: one_line.py <name> [<address of Redis>]
"""

import sys
from typing import Any

from fastmcp import FastMCP
from redis.asyncio import Redis
from serving import serve
from toolshape.fastmcp import ShapingMiddleware
from toolshape.stores.redis import RedisStore

options: dict[str, Any] = {"on_receipt": lambda receipt: None}
if len(sys.argv) > 2:
    options["store"] = RedisStore(Redis.from_url(sys.argv[2], decode_responses=True))
mcp = FastMCP("replica")
mcp.add_middleware(ShapingMiddleware({"max_tokens": 1500}, **options))


@mcp.tool(output_schema=None)
def list_events(topic: str) -> list[dict[str, Any]]:
    about = f"{topic} as any replica saw it"
    return [
        {"id": id, "madeBy": "any replica", "run": 1, "text": f"event {id} of {about}, in its run 1"}
        for id in range(300)
    ]


serve(mcp)
