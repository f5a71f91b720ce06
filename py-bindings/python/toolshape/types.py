"""The types of options and results, for annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NewType, TypeAlias, TypedDict

# The name of an encoding that `load_encoding` made.
LoadedEncoding = NewType("LoadedEncoding", str)
Encoding: TypeAlias = Literal["o200k_base", "cl100k_base", "estimate"] | LoadedEncoding
Pattern: TypeAlias = Literal["o200k_base", "cl100k_base"]
Side: TypeAlias = Literal["head", "tail"]
Format: TypeAlias = Literal["json", "columns", "auto"]
Overflow: TypeAlias = Literal["shape", "error", "offload"]
Schema: TypeAlias = Literal["widen", "preserve"]
Preview: TypeAlias = Literal["head", "tail", "headTail"]
Output: TypeAlias = Literal["summary", "full"]

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
    "read",
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


class SeriesOptions(TypedDict, total=False):
    """How a tool's results are a series: fields are ``price``, ``price.usd`` or ``/price/usd``.

    ``list`` is where in the result the entries are, ``value`` and ``at`` are the fields of an entry that are
    its value and say where it stands, ``points`` are the most entries of a summary, and with ``extremes`` they
    are chosen so that extremes show.
    """

    list: str
    value: str
    at: str
    points: int
    extremes: bool


class GridOptions(TypedDict, total=False):
    """How a tool's results are a grid: a list of cells, or a matrix of numbers with axes beside it.

    ``list`` is where in the result the cells or the rows are, ``x``, ``y`` and ``value`` are fields of a cell
    (of a matrix, ``x`` and ``y`` are where in the result its axes are), ``goal`` says whether the highest value
    is the best, and ``feasible`` is a field that is false, null or 0 where a cell is not.
    """

    list: str
    x: str
    y: str
    value: str
    goal: Literal["max", "min"]
    feasible: str


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
    output: Output
    series: SeriesOptions | Literal[False]
    grid: GridOptions | Literal[False]
    detect: bool
    cursor_key: str | Sequence[str]
    cursor_ttl: int


PresetName: TypeAlias = Literal["agent", "subagent", "safeOutputs", "smallContext"]


class PresetOptions(TypedDict, total=False):
    """The options that presets are made of."""

    max_tokens: int
    overflow: Overflow
    offload_over: int
    combined_tokens: int
    output: Output


class Returned(TypedDict, total=False):
    """What a tool returned, as ``value`` or as a JSON text, and the call that it answers."""

    value: object
    json: str
    call: Mapping[str, Any]


class ArchiveCall(TypedDict, total=False):
    """A call of an ``Archive``: one of a ``Shaper``, but for what the archive says of the store."""

    tool: str | None
    arguments: Mapping[str, Any] | None
    page: int | None
    page_size: int | None
    cursor: str | None
    fields: Sequence[str] | None
    format: Format | None
    output: Output | None
    now: float | None
    scope: str | None


class ResultCall(ArchiveCall, total=False):
    """A call whose result is a ``CallToolResult``: what ``Shaper.tool`` said of the tool, and who asks."""

    own_arguments: Sequence[str] | None
    output_schema: Mapping[str, Any] | bool | None
    client: str | None


class _OfStore(TypedDict, total=False):
    store: bool | None
    store_failure: str | None


class StoredCall(ArchiveCall, _OfStore, total=False):
    """A call of a ``Shaper``, with what the host says of its store."""


class StoredResultCall(ResultCall, _OfStore, total=False):
    """The same for a ``CallToolResult``."""


class ReadCall(TypedDict, total=False):
    """What a call of ``read_result`` has beside its arguments."""

    tool: str | None
    now: float | None
    scope: str | None


class Summary(TypedDict, total=False):
    """What ``summarize_text`` is told of a text."""

    kind: Literal["log", "document"]
    uri: str
    pointer: str
    summary: str
    by: str
    failure: str


class SummaryTask(TypedDict):
    """What a call of the tool ``summarize`` is about.

    ``summary`` has ``kind``, ``uri`` and ``pointer``, as far as there are any; a summary of your own may have
    ``maxTokens`` so as to fit.
    """

    text: str
    summary: Summary
    maxTokens: int


class Resource(TypedDict):
    """What ``Archive.resource`` gives: one item of ``contents``, as MCP's ``resources/read`` answers it."""

    uri: str
    mimeType: str
    text: str


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


class Plan(TypedDict):
    """A tool as an adapter handles it: how clients see it, and what its calls are shaped under."""

    tool: dict[str, Any]
    controls: list[str]
    call: dict[str, Any]
    isPreserved: bool


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


JsonType: TypeAlias = Literal["object", "array", "string", "number", "integer", "boolean", "null"]

# `$schema` is no name that a class could have.
_Dialect = TypedDict("_Dialect", {"$schema": str}, total=False)


class _JsonTypes(_Dialect):
    type: JsonType | list[JsonType]


class JsonSchema(_JsonTypes, total=False):
    """A schema (draft 2020-12) as ``infer_schema`` gives it; the outermost one names its dialect."""

    properties: dict[str, JsonSchema]
    required: list[str]
    additionalProperties: JsonSchema
    items: JsonSchema


class _Extreme(TypedDict):
    index: int
    value: float | str


class Extreme(_Extreme, total=False):
    """An extreme of a series; ``value`` is a ``str`` where the tool gives numbers as texts."""

    at: Any


class Aggregates(TypedDict):
    """What is told of all entries of a series before any is dropped."""

    count: int
    nulls: int
    min: Extreme | None
    max: Extreme | None
    mean: float | None
    first: float | str | None
    last: float | str | None


class Elision(TypedDict):
    """Something shortened, by its JSON Pointer."""

    pointer: str
    kind: str
    size: int


class _Head(TypedDict, total=False):
    uri: str
    storeFailed: str
    omittedFields: list[str]
    around: dict[str, Any]
    elisions: list[Elision]
    elided: int


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
    """A few entries of a series as they are, and aggregates over all."""

    output: Literal["summary"]
    kind: Literal["series"]
    totalItems: int
    returned: int
    indices: list[int]
    note: str
    aggregates: Aggregates | None
    entries: list[Any]


class SeriesFull(_Head, _SeriesNames, _PageFacts):
    """A series as it is, or a page of it."""

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
    """The best cells of a grid as they are, and a picture of all."""

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
    """Every feasible cell of a grid, row by row, or a page of them; of a matrix its rows."""

    output: Literal["full"]
    kind: Literal["grid"]
    totalItems: int


GridResult: TypeAlias = GridSummary | GridFull
