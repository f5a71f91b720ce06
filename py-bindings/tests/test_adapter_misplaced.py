"""An option, policy, store or server in the wrong place is refused there. The message names the place where it belongs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from adapters.sdks import FAST, PLAIN, MCPServer
from toolshape import Archive, MemoryStore, Shaper, ToolshapeError

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


POLICY, CALL = "INVALID_POLICY", "INVALID_CALL"
WRONG: dict[str, tuple[Callable[[], Any], str, str, str]] = {
    "store in policy": (lambda: made({"store": STORE}), POLICY, "/store", "an option of an adapter"),
    "ttl_seconds in policy": (lambda: made({"ttl_seconds": 5}), POLICY, "/ttl_seconds", "of an adapter or an archive"),
    "max_tokens in options": (lambda: made(max_tokens=500), CALL, "/max_tokens", "an option of the policy"),
    "page in policy": (lambda: made({"page": 2}), POLICY, "/page", "an option of a call"),
    "tool beside tools": (lambda: made({"list": {"max_tokens": 500}}), POLICY, "/list", "tools"),
    "name as policy": (lambda: made("agent"), POLICY, "", "of type str"),
    "number as policy": (lambda: made(2000), POLICY, "", "a dict of options"),
    "store as policy": (lambda: made(STORE), POLICY, "", "of type MemoryStore"),
    "archive as policy": (lambda: made(ARCHIVE), POLICY, "", "of type Archive"),
    "invalid store": (lambda: made(store="memory"), CALL, "/store", "store"),
    "misspelt option": (lambda: made(stroe=STORE), CALL, "/stroe", "did you mean store?"),
    "scope without key": (lambda: made(scope="t"), CALL, "/scope", "cursor_key"),
    "offload without store": (lambda: made({"overflow": "offload"}, store=None), CALL, "/store", "requires a store"),
    "policy as shaper": (lambda: Archive({"max_tokens": 500}, STORE), CALL, "/shaper", "it takes a Shaper"),
    "wrong value": (lambda: made({"max_tokens": "2000"}), POLICY, "/max_tokens", "it takes a whole number"),
    "misspelt policy": (lambda: made({"max_token": 500}), POLICY, "/max_token", "did you mean max_tokens?"),
    "store of a shaper": (lambda: Shaper(store=STORE), POLICY, "/store", "an option of an adapter"),
    "null": (lambda: made({"tools": {"list": None}}), POLICY, "/tools/list", "or False to leave"),
    "true": (lambda: made({"max_tokens": True}), POLICY, "/max_tokens", "is True"),
    "true or false": (lambda: made({"snapshot": 1}), POLICY, "/snapshot", "True or False"),
    "scope of a call": (lambda: SHAPER.shape([1], scope="t"), CALL, "/scope", "cursor_key"),
    "belongs nowhere": (lambda: made({"colour": 1}), POLICY, "/colour", "unknown option colour"),
}
if PLAIN is not None:
    WRONG |= {
        "no server": (lambda: shape_server(None), CALL, "/server", "NoneType"),
        "class as server": (lambda: shape_server(MCPServer), CALL, "/server", "not an instance of it"),
        "policy as server": (lambda: shape_server({"max_tokens": 500}), CALL, "/server", "builtins.dict"),
        "server as policy": (lambda: shape_server(MCPServer("a"), MCPServer("a")), POLICY, "", "of type"),
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


def test_python_refuses_unknown_keywords_and_arguments_without_a_keyword() -> None:
    of_archive: dict[str, Any] = {"max_tokens": 500}
    for use in (
        lambda: Shaper({"max_tokens": 500}),  # type: ignore[call-arg]
        lambda: SHAPER.shape([1], {"page": 2}),  # type: ignore[call-arg]
        lambda: Archive(SHAPER, STORE, **of_archive),
        lambda: Archive(SHAPER),  # type: ignore[call-arg]
        lambda: MemoryStore(max_byte=5),  # type: ignore[call-arg]
    ):
        with pytest.raises(TypeError):
            use()
