"""For tests of a server: what a tool's result is expected to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _toolshape as core
from .types import Encoding


def assert_fits(
    result: object,
    *,
    max_tokens: int | None = None,
    fields: Sequence[str] | None = None,
    client: str | None = None,
    encoding: Encoding | None = None,
    is_error: bool | None = None,
) -> None:
    """Checks that the result of a tool, as a client of ``mcp`` or ``fastmcp`` got it, fits, and shows certain fields.

    ``max_tokens`` (2000) is for ``content`` and for the structured content; ``fields`` are names as ``author.name`` or
    ``/author/name`` that an object in the result has; ``client`` is one whose limit of tokens also applies; ``is_error``
    (false) is whether the result is an error. Raises ``AssertionError`` with all that is not as expected;
    ``ToolshapeError`` for what cannot be expected.
    """
    given = {"max_tokens": max_tokens, "fields": fields, "client": client, "encoding": encoding, "is_error": is_error}
    expected = {name: value for name, value in given.items() if value is not None}
    unmet = core.call("unmet", result=_on_the_wire(result), expected=expected)
    if unmet:
        raise AssertionError("; ".join(unmet))


def _on_the_wire(result: Any) -> Any:
    if isinstance(result, Mapping):
        return result
    if hasattr(result, "model_dump"):
        return result.model_dump(by_alias=True, mode="json")
    # The result of fastmcp's client.
    content = [block.model_dump(by_alias=True, mode="json") for block in result.content]
    return {"content": content, "structuredContent": result.structured_content, "isError": result.is_error}
