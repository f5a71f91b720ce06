"""What others show of a result: cuts, and compressors whose text a cut may shorten."""

from fastmcp import Client, FastMCP
from fastmcp.server.middleware.response_limiting import ResponseLimitingMiddleware
from headroom.transforms.content_router import ContentRouter, ContentRouterConfig
from lossless import encoded
from toolshape import count_tokens, truncate_to_tokens

CUT, CUT_BYTES = 25_000, 100_000  # What hosts show of a result, in tokens, and about as much in bytes.
MARK = "\n[the rest is cut]\n"

router = ContentRouter(config=ContentRouterConfig(enable_kompress=False))


def start(text: str, most: int = CUT) -> str:
    return text if count_tokens(text) <= most else truncate_to_tokens(text, most) + MARK


def ends(text: str, most: int = CUT) -> str:
    if count_tokens(text) <= most:
        return text
    return truncate_to_tokens(text, most // 2) + MARK + truncate_to_tokens(text, most // 2, side="tail")


def headroom(text: str) -> str:
    return router.compress(text).compressed


async def limited(text: str) -> str:
    server = FastMCP("limited")
    server.add_middleware(ResponseLimitingMiddleware(max_size=CUT_BYTES))
    server.tool(lambda: text, name="result")
    async with Client(server) as client:
        return (await client.call_tool("result")).content[0].text


async def shown(texts: list[str]) -> dict[str, list[str]]:
    """What a model reads of JSON texts, by who shows it; what is lossless is cut as hosts cut it."""
    lossless = {name: [start(one) for one, _ in pairs] for name, pairs in encoded(texts).items() if name != "toolshape"}
    return {
        f"the first {CUT:,} tokens": [start(text) for text in texts],
        f"head and tail, {CUT:,} tokens": [ends(text) for text in texts],
        f"fastmcp's ResponseLimiting, {CUT_BYTES:,} bytes": [await limited(text) for text in texts],
        "headroom": [headroom(text) for text in texts],
        **lossless,
    }


def is_whole(one: str) -> bool:
    """Whether nothing of a result is cut, by the words of those who cut it."""
    return MARK not in one and "truncated" not in one[-200:]
