"""An option, policy, store or server in the wrong place is refused there. The message names the place where it belongs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adapters.sdks import FAST, PLAIN, MCPServer
from toolshape import Archive, FileStore, MemoryStore, Shaper, ToolshapeError, preset
from toolshape.adapter import Adapter

if PLAIN is not None:
    from toolshape.mcp import shape_server
if FAST is not None:
    import fastmcp
    from toolshape.fastmcp import ShapingMiddleware

SHAPER, STORE = Shaper(), MemoryStore()
ARCHIVE = Archive(SHAPER, STORE)


def made(policy: Any = None, **options: Any) -> Any:
    """Both entries hand on what they get."""
    return (
        ShapingMiddleware(policy, **options) if FAST is not None else shape_server(MCPServer("here"), policy, **options)
    )


def of_class(cls: Any, *given: Any, **named: Any) -> Callable[[], Any]:
    return lambda: cls(*given, **named)


POLICY, CALL = "INVALID_POLICY", "INVALID_CALL"
WRONG: dict[str, tuple[Callable[[], Any], str, str, str]] = {
    "store in policy": (lambda: made({"store": STORE}), POLICY, "/store", "a keyword after the policy, store=..."),
    "redact in policy": (lambda: made({"redact": str.upper}), POLICY, "/redact", "option of the adapter"),
    "scope in policy": (lambda: made({"scope": "t"}), POLICY, "/scope", "option of the adapter"),
    "ttl_seconds in policy": (lambda: made({"ttl_seconds": 5}), POLICY, "/ttl_seconds", "option of the adapter"),
    "on_receipt in policy": (lambda: made({"on_receipt": print}), POLICY, "/on_receipt", "option of the adapter"),
    "max_tokens in options": (lambda: made(max_tokens=500), CALL, "/max_tokens", "option of the policy"),
    "tools in options": (lambda: made(tools={"a": False}), CALL, "/tools", "option of the policy"),
    "policy in policy": (lambda: made({"policy": {}}), POLICY, "/policy", "pass the policy by itself"),
    "tool beside tools": (lambda: made({"list": {"max_tokens": 500}}), POLICY, "/list", "{'tools': {'list': ...}}"),
    "page in policy": (lambda: made({"page": 2}), POLICY, "/page", "option of a call"),
    "tool in policy": (lambda: made({"tool": "list"}), POLICY, "/tool", "option of a call"),
    "preset in policy": (lambda: made({"preset": "agent"}), POLICY, "/preset", "preset('agent')"),
    "preset as policy": (lambda: made("agent"), POLICY, "", "pass preset('agent')"),
    "number as policy": (lambda: made(2000), POLICY, "", "{'max_tokens': 2000}"),
    "store as policy": (lambda: made(STORE), POLICY, "", "the policy is a store"),
    "archive as policy": (lambda: made(ARCHIVE), POLICY, "", "pass its shaper"),
    "class as policy": (lambda: made(Shaper), POLICY, "", "the class Shaper"),
    "invalid store": (lambda: made(store="memory"), CALL, "/store", "store"),
    "misspelt option": (lambda: made(stroe=STORE), CALL, "/stroe", "did you mean store?"),
    "scope without key": (lambda: made(scope="t"), CALL, "/scope", "cursor_key"),
    "offload without store": (lambda: made({"overflow": "offload"}, store=None), CALL, "/store", "requires a store"),
    "preset without store": (lambda: made(preset("subagent"), store=None), CALL, "/store", "requires a store"),
    "policy as shaper": (of_class(Archive, {"max_tokens": 500}, STORE), CALL, "/shaper", "Shaper(**policy)"),
    "archive swapped": (of_class(Archive, STORE, SHAPER), CALL, "/shaper", "pass the shaper first"),
    "policy of archive": (
        of_class(Archive, SHAPER, STORE, max_tokens=5000),
        CALL,
        "/max_tokens",
        "option of the policy",
    ),
    "scope of archive": (of_class(Archive, SHAPER, STORE, scope="t"), CALL, "/scope", "option of the adapter"),
    "archive, camel case": (of_class(Archive, SHAPER, STORE, ttlSeconds=5), CALL, "/ttlSeconds", "ttl_seconds?"),
    "archive, unknown": (of_class(Archive, SHAPER, STORE, colour=5), CALL, "/colour", "the options are shaper, store"),
    "memory, misspelt": (of_class(MemoryStore, max_byte=5), CALL, "/max_byte", "did you mean max_bytes?"),
    "file, ttl": (
        of_class(FileStore, "x", ttl_seconds=5),
        CALL,
        "/ttl_seconds",
        "Archive(shaper, store, ttl_seconds=...)",
    ),
    "wrong value": (lambda: made({"max_tokens": "2000"}), POLICY, "/max_tokens", "it takes a whole number"),
    "misspelt policy": (lambda: made({"max_token": 500}), POLICY, "/max_token", "did you mean max_tokens?"),
    "policy of a shaper": (of_class(Shaper, {"max_tokens": 500}), POLICY, "", "Shaper(**policy)"),
    "preset of a shaper": (of_class(Shaper, "agent"), POLICY, "", "pass preset('agent')"),
    "store of a shaper": (of_class(Shaper, store=STORE), POLICY, "/store", "option of the adapter"),
    "page of a shaper": (of_class(Shaper, page=2), POLICY, "/page", "option of a call"),
    "null": (lambda: made({"tools": {"list": None}}), POLICY, "/tools/list", "or False to leave"),
    "true": (lambda: made({"max_tokens": True}), POLICY, "/max_tokens", "is True"),
    "true or false": (lambda: made({"detect": 1}), POLICY, "/detect", "True or False"),
    "scope of a call": (lambda: SHAPER.shape([1], scope="t"), CALL, "/scope", "cursor_key"),
    "belongs nowhere": (lambda: made({"colour": 1}), POLICY, "/colour", "unknown option colour"),
}
if PLAIN is not None:
    WRONG |= {
        "no server": (lambda: shape_server(None), CALL, "/server", "not None"),
        "class as server": (lambda: shape_server(MCPServer), CALL, "/server", "an instance of it"),
        "policy as server": (lambda: shape_server({"max_tokens": 500}), CALL, "/server", "builtins.dict"),
        "server as policy": (lambda: shape_server({}, MCPServer("a")), POLICY, "", "shape_server(server, policy)"),
    }
if PLAIN is not None and FAST is not None:
    WRONG["server of fastmcp"] = (lambda: shape_server(fastmcp.FastMCP("a")), CALL, "/server", "add_middleware(")


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    use, code, path, words = WRONG[name]
    with pytest.raises(ToolshapeError) as raised:
        use()
    assert (raised.value.code, raised.value.path) == (code, path), str(raised.value)
    assert words in str(raised.value)


def test_what_python_itself_refuses_stays() -> None:
    for use in (of_class(Archive, SHAPER), of_class(FileStore), of_class(MemoryStore, 1, 2)):
        with pytest.raises(TypeError):
            use()


def test_awaitables_are_named() -> None:
    async def policy() -> dict[str, Any]:
        return {}

    pending = policy()
    with pytest.raises(ToolshapeError, match="await it first"):
        Adapter(pending)  # type: ignore[arg-type]
    asyncio.run(pending)


def test_subclasses_of_stores_have_their_own_keywords(tmp_path: Path) -> None:
    class Mine(FileStore):
        def __init__(self, folder: Path, *, colour: str) -> None:
            super().__init__(folder)
            self.colour = colour

    assert Mine(tmp_path, colour="red").colour == "red"
