"""Who is measured: toolshape, the handlers that one writes by hand, and fastmcp's ResponseLimitingMiddleware.

The middleware counts bytes: four a token.
"""

import hashlib
import json

from handlers import BUDGET, CHARS_A_TOKEN, careful, cutting
from works import PAGE_SIZE

BASELINES = {
    "json.dumps": ("json", "dumps"),
    "orjson.dumps": ("orjson", "dumps"),
    "json.loads": ("json", "loads"),
    "orjson.loads": ("orjson", "loads"),
}
NAMES = ["toolshape", "json + tiktoken", "orjson + tiktoken", "orjson + tiktoken, careful", "fastmcp ResponseLimiting"]


def contender(name, work):
    """A function that takes a value and the page wanted, and gives the text for the model."""
    match name:
        case "toolshape":
            return shaped(work)
        case "json + tiktoken":
            compact = {"separators": (",", ":"), "ensure_ascii": False}
            return cutting(work, lambda value: json.dumps(value, **compact), json.loads)
        case "orjson + tiktoken" | "orjson + tiktoken, careful":
            import orjson

            handler = careful if name.endswith("careful") else cutting
            return handler(work, lambda value: orjson.dumps(value).decode(), orjson.loads)
        case "fastmcp ResponseLimiting":
            return limited()


def shaped(work):
    from toolshape import Shaper

    shaper = Shaper(max_tokens=BUDGET, page_size=PAGE_SIZE, overflow="offload" if work.is_stored else "shape")
    shape = shaper.shape_json if work.is_json else shaper.shape
    if work.is_stored:
        return lambda value, page: shape(value, tool="bench", store=True).text
    return lambda value, page: shape(value, tool="bench", **({} if page is None else {"page": page})).text


def limited():
    from fastmcp.server.middleware import MiddlewareContext
    from fastmcp.server.middleware.response_limiting import ResponseLimitingMiddleware
    from fastmcp.tools.base import ToolResult
    from mcp_types import CallToolRequestParams

    middleware = ResponseLimitingMiddleware(max_size=BUDGET * CHARS_A_TOKEN)
    context = MiddlewareContext(message=CallToolRequestParams(name="bench", arguments={}))

    def handle(value, page):
        async def call_next(_):
            return ToolResult(content=value)

        call = middleware.on_call_tool(context, call_next)
        try:
            call.send(None)
        except StopIteration as done:
            return "".join(block.text for block in done.value.content)
        raise RuntimeError("the middleware waits for something")

    return handle


def baseline(name):
    if name == "json.dumps and SHA-256":

        def written(value):
            return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()

        return lambda value, page: hashlib.sha256(written(value)).hexdigest()
    if name == "split into lines":
        return lambda value, page: len(value.split("\n"))
    module, function = BASELINES[name]
    run = getattr(__import__(module), function)
    return lambda value, page: run(value)
