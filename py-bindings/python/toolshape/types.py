"""The types of options and results, for annotations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, NewType, TypeAlias, TypedDict

# The name of an encoding that `load_encoding` returned.
LoadedEncoding = NewType("LoadedEncoding", str)
Encoding: TypeAlias = Literal["o200k_base", "cl100k_base", "estimate"] | LoadedEncoding
Pattern: TypeAlias = Literal["o200k_base", "cl100k_base"]
Side: TypeAlias = Literal["head", "tail"]
# Whether the caller may read a stored result that a tool returned.
Authorize: TypeAlias = Callable[[str], bool | Awaitable[bool]]
# Why a stored result is read: for a later page, for `read_result` or a resource, or for `summarize`.
Purpose: TypeAlias = Literal["snapshot", "read", "summarize"]
Redacts: TypeAlias = Literal["stored", "all"]

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
    "FORBIDDEN",
    "STORE_FAILED",
    "REDACT_FAILED",
    "INTERNAL",
]

Step: TypeAlias = Literal[
    "read",
    "csv",
    "tsv",
    "table",
    "ndjson",
    "json",
    "python",
    "yaml",
    "log",
    "trace",
    "markdown",
    "html",
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
    "sample",
    "grid",
    "full",
    "error",
    "rateLimit",
]


# Generated from the tables of options: UPDATE_OPTIONS=1 cargo test --test options

# The end of the generated types.

PresetName: TypeAlias = Literal["agent", "subagent", "safeOutputs", "smallContext"]


class PresetOptions(TypedDict, total=False):
    """The options that a preset sets."""

    max_tokens: int
    overflow: Overflow
    offload_over: int
    combined_tokens: int
    output: Output


class Returned(TypedDict, total=False):
    """What a tool returned, as ``value`` or as JSON text, and its call."""

    value: object
    json: str | bytes | bytearray | memoryview
    call: Call


class StoredCall(Call, _OfStore, total=False):
    """A call of a ``Shaper``, with the store options."""


class StoredResultCall(ResultCall, _OfStore, total=False):
    """The same for a ``CallToolResult``."""


class ReadCall(TypedDict, total=False):
    """The options of a call of ``read_result``, beside its arguments."""

    tool: str | None
    now: float | None
    scope: str | None
    client: str | None


class Summary(TypedDict, total=False):
    """The options of ``summarize_text``."""

    kind: Literal["log", "document"]
    uri: str
    pointer: str
    summary: str
    by: str
    failure: str


class SummaryTask(TypedDict):
    """The text that a call of the tool ``summarize`` asks for.

    ``summary`` contains ``kind``, ``uri`` and ``pointer``, if known. ``maxTokens`` is the most tokens of a summary that
    you supply.
    """

    text: str
    summary: Summary
    maxTokens: int


class Resource(TypedDict):
    """The result of ``Archive.resource``: one item of ``contents`` in the form of MCP's ``resources/read``."""

    uri: str
    mimeType: str
    text: str


class _SortField(TypedDict):
    name: str


class SortKey(_SortField, total=False):
    """A field by which rows are sorted; nulls are the least unless ``nulls`` sets their position."""

    order: Literal["asc", "desc"]
    nulls: Literal["first", "last"]


class _LinkTarget(TypedDict):
    uri: str
    name: str


class LinkMapping(_LinkTarget, total=False):
    """How a row becomes a link: templates with fields in braces, such as ``article:///{slug}``.

    Values are percent-encoded in ``uri`` (RFC 6570, level 1). ``size`` is a field with the size in bytes, ``open`` a
    sentence that explains how to open a link, ``keys`` and ``limit`` are as in ``Shaper.keyset_page``.
    """

    title: str
    description: str
    mime_type: str
    size: str
    open: str
    keys: Sequence[str | SortKey]
    limit: int


class ShapedTool(TypedDict):
    """A tool as clients see it, the arguments that control shaping, and those that are the tool's own."""

    tool: dict[str, Any]
    controls: list[str]
    ownArguments: list[str]


class Plan(TypedDict):
    """A tool as an adapter handles it: the form that clients see, and the options for its calls."""

    tool: dict[str, Any]
    controls: list[str]
    call: dict[str, Any]
    isPreserved: bool


class Receipt(TypedDict):
    """The measurement of one result, with the keys of the wire format."""

    tool: str | None
    steps: list[Step]
    tokensBefore: int
    tokensBeforeExact: bool
    tokensAfter: int
    budget: int | None
    encoding: Encoding
    bytes: int
    durationMs: float


JsonType: TypeAlias = Literal["object", "array", "string", "number", "integer", "boolean", "null"]

# `$schema` is not a valid name in a class body.
_Dialect = TypedDict("_Dialect", {"$schema": str}, total=False)


class _JsonTypes(_Dialect):
    type: JsonType | list[JsonType]


class JsonSchema(_JsonTypes, total=False):
    """A schema (draft 2020-12) that ``infer_schema`` returns; the root schema names its dialect."""

    properties: dict[str, JsonSchema]
    required: list[str]
    additionalProperties: JsonSchema
    items: JsonSchema


class _Extreme(TypedDict):
    index: int
    value: float | str


class Extreme(_Extreme, total=False):
    """An extreme of a series; ``value`` is a ``str`` if the tool returns numbers as texts."""

    at: Any


class Aggregates(TypedDict):
    """The aggregates over all entries of a series, before any is dropped."""

    count: int
    nulls: int
    min: Extreme | None
    max: Extreme | None
    mean: float | None
    first: float | str | None
    last: float | str | None


class Elision(TypedDict):
    """A shortened value, by its JSON Pointer."""

    pointer: str
    kind: str
    size: int


class _Head(TypedDict, total=False):
    uri: str
    storeFailed: str
    omittedFields: list[str]
    around: dict[str, Any]
    elisions: list[Elision]
    moreElisions: int


class _PageFacts(TypedDict, total=False):
    paginated: Literal[True]
    page: int
    pageSize: int
    totalPages: int
    returned: int
    hasMore: bool
    nextCursor: str | None
    shifted: Literal[True]
    source: Literal["snapshot", "live"]
    note: str


class _SeriesNames(TypedDict, total=False):
    value: str
    at: str


class SeriesSummary(_Head, _SeriesNames):
    """A few unchanged entries of a series, and aggregates over all."""

    output: Literal["summary"]
    kind: Literal["series"]
    totalItems: int
    returned: int
    indices: list[int]
    note: str
    aggregates: Aggregates | None
    entries: list[Any]


class SeriesFull(_Head, _SeriesNames, _PageFacts):
    """A complete series, or a page of it."""

    output: Literal["full"]
    kind: Literal["series"]
    totalItems: int
    aggregates: Aggregates | None
    entries: list[Any]


SeriesResult: TypeAlias = SeriesSummary | SeriesFull


class _GridFacts(TypedDict):
    totalCells: int
    feasibleCells: int
    columns: int
    rows: int
    x: str
    y: str
    value: str
    goal: Literal["max", "min"]
    best: Any


class GridSummary(_Head, _GridFacts):
    """The best cells of a grid, unchanged, and a picture of all."""

    output: Literal["summary"]
    kind: Literal["grid"]
    note: str
    topCells: list[Any]
    asciiSummary: str


class _Cells(TypedDict, total=False):
    asciiSummary: str
    cells: list[Any]
    matrix: list[list[Any]]


class GridFull(_Head, _GridFacts, _PageFacts, _Cells):
    """Every feasible cell of a grid, row by row, or a page of them; for a matrix its rows."""

    output: Literal["full"]
    kind: Literal["grid"]
    totalItems: int


GridResult: TypeAlias = GridSummary | GridFull
