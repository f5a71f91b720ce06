"""The types of options and results, for annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

Encoding: TypeAlias = Literal["o200k_base", "cl100k_base", "estimate"]
Format: TypeAlias = Literal["json", "columns", "auto"]
Overflow: TypeAlias = Literal["shape", "error"]
Preview: TypeAlias = Literal["head", "tail", "headTail"]

ErrorCode: TypeAlias = Literal[
    "INVALID_POLICY",
    "INVALID_CALL",
    "INVALID_CURSOR",
    "INVALID_HANDLE",
    "INVALID_JSON",
    "UNKNOWN_FIELD",
    "UNSUPPORTED_VALUE",
    "TOO_DEEP",
    "NOT_FOUND",
    "STORE_FAILED",
    "INTERNAL",
]

Step: TypeAlias = Literal["project", "minify", "columns", "paginate", "summarize", "truncate", "error", "rateLimit"]


class ToolOptions(TypedDict, total=False):
    """The options of one tool, in ``Shaper(tools={"name": {...}})``."""

    max_tokens: int
    encoding: Encoding
    margin: float
    paginate_after: int
    page_size: int
    max_page_size: int
    fields: Sequence[str]
    format: Format
    overflow: Overflow
    preview: Preview
    cursor_key: str | Sequence[str]


class Receipt(TypedDict):
    """The measurement of one result, with the keys that it has on the wire."""

    tool: str | None
    steps: list[Step]
    tokensBefore: int
    tokensBeforeExact: bool
    tokensAfter: int
    budget: int | None
    encoding: Encoding
    bytes: int
    durationMs: float
