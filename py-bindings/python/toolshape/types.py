"""The types of options and results, for annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

Encoding: TypeAlias = Literal["o200k_base", "cl100k_base", "estimate"]
Format: TypeAlias = Literal["json", "columns", "auto"]
Overflow: TypeAlias = Literal["shape", "error", "offload"]
Schema: TypeAlias = Literal["widen", "preserve"]
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

Step: TypeAlias = Literal[
    "project",
    "minify",
    "columns",
    "links",
    "paginate",
    "summarize",
    "summarizeText",
    "truncate",
    "offload",
    "preserve",
    "error",
    "rateLimit",
]


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
    offload_over: int
    snapshot: bool
    preview: Preview
    schema: Schema
    cursor_key: str | Sequence[str]
    cursor_ttl: int


class ArchiveCall(TypedDict, total=False):
    """A call of an ``Archive``: one of a ``Shaper``, but for what the archive says of the store."""

    tool: str | None
    arguments: Mapping[str, Any] | None
    page: int | None
    page_size: int | None
    cursor: str | None
    fields: Sequence[str] | None
    format: Format | None
    now: float | None
    scope: str | None


class _SortField(TypedDict):
    name: str


class SortKey(_SortField, total=False):
    """A field that rows are sorted by; nulls are the least unless it says where they stand."""

    order: Literal["asc", "desc"]
    nulls: Literal["first", "last"]


class _LinkTarget(TypedDict):
    uri: str
    name: str


class LinkMapping(_LinkTarget, total=False):
    """How a row becomes a link: templates with fields in braces, as ``article:///{slug}``.

    Values stand percent-encoded in ``uri`` (RFC 6570, level 1). ``size`` is in bytes, ``open`` a sentence
    that says how to open a link, ``keys`` and ``limit`` are as in ``Shaper.keyset_page``.
    """

    title: str
    description: str
    mime_type: str
    size: str
    open: str
    keys: Sequence[str | SortKey]
    limit: int


class ShapedTool(TypedDict):
    """A tool as clients are to see it, and which of its arguments are whose."""

    tool: dict[str, Any]
    controls: list[str]
    ownArguments: list[str]


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
