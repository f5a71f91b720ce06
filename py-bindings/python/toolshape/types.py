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
Redacts: TypeAlias = Literal["stored", "all"]


# Generated from the tables of options: UPDATE_OPTIONS=1 cargo test --test options
# The values of the option `format`.
Format: TypeAlias = Literal["json", "columns", "auto"]
# The values of the option `overflow`.
Overflow: TypeAlias = Literal["shape", "error", "offload"]
# The values of the option `preview`.
Preview: TypeAlias = Literal["auto", "head", "tail", "headTail"]
# The values of the option `text`.
TextFormat: TypeAlias = Literal["auto", "plain", "csv", "markdown", "html", "log"]
# The values of the option `schema`.
Schema: TypeAlias = Literal["widen", "preserve"]
# The values of the option `controls`.
Controls: TypeAlias = Literal["auto", "result", "tool"]
# The values of the option `receipt`.
ReceiptIn: TypeAlias = Literal["none", "meta"]
# The values of the option `noTransform`.
NoTransform: TypeAlias = Literal["none", "result", "request"]
# The values of the option `output`.
Output: TypeAlias = Literal["summary", "full"]
# The values of a call's `format`.
AskedFormat: TypeAlias = Literal["json", "columns", "auto", "text"]
# The kind of error, as a stable code to match on.
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
# One step that was applied to a result.
Step: TypeAlias = Literal[
    "read",
    "project",
    "minify",
    "columns",
    "links",
    "paginate",
    "summarize",
    "truncate",
    "sample",
    "grid",
    "full",
    "offload",
    "preserve",
    "summarizeText",
    "error",
    "rateLimit",
    "images",
    "csv",
    "tsv",
    "table",
    "ndjson",
    "json",
    "events",
    "xml",
    "python",
    "yaml",
    "log",
    "trace",
    "markdown",
    "html",
    "base64",
    "terminal",
]


class SeriesOptions(TypedDict, total=False):
    """How a tool's results form a series."""

    list: str
    """Path of the entries in the result: ``prices``, ``data.prices`` or ``/data/prices``. Default: the result itself.
    """
    value: str
    """Field of an entry with its value. Default: the first field with numbers."""
    at: str
    """Field of an entry with its position, such as a time. Default: the first monotonic field."""
    points: int
    """Maximum entries of a summary. Default: 12."""
    extremes: bool
    """Whether the entries of a summary include the extremes, instead of being evenly spaced. Default: false."""


class GridOptions(TypedDict, total=False):
    """How a tool's results form a grid: a list of cells, or a matrix of numbers with axes."""

    list: str
    """Path of the cells, or of the rows of a matrix, in the result. Default: the result itself."""
    x: str
    """Field of a cell with its column; for a matrix, the path of its horizontal axis in the result. Default: ``x``."""
    y: str
    """Field of a cell with its row; for a matrix, the path of its vertical axis in the result. Default: ``y``."""
    value: str
    """Field of a cell with its value. Default: ``value``."""
    goal: Literal["max", "min"]
    """Whether the highest or the lowest value is the best. Default: ``max``."""
    feasible: str
    """Field of a cell that is false, null, 0 or absent if the cell is not feasible. Default: none."""


class ToolOptions(TypedDict, total=False):
    """The options of one tool, in ``Shaper(tools={"name": {...}})``."""

    max_tokens: int
    """Maximum tokens of one result. Default: 2000."""
    encoding: Encoding
    """How tokens are counted: ``o200k_base``, ``cl100k_base``, ``estimate`` (without a vocabulary), or the name of a
    loaded encoding. Default: ``o200k_base``.
    """
    margin: float
    """Share of the budget that stays free, for models whose tokenizer is not public. Default: 0."""
    paginate_after: int
    """Lists with more rows are paged even if they fit. Default: none."""
    page_size: int
    """Rows of a page. Default: 20, or more if 20 rows take less than a quarter of the budget."""
    max_page_size: int
    """Maximum rows of a page that a caller may request. Default: 1000."""
    fields: Sequence[str] | Literal["auto", "all"]
    """Fields that are shown of a result that does not fit, unless the caller requests others: ``author.name`` or
    ``/author/name``. With ``auto``, where fewer than ten whole rows fit, a page shows the fields that distinguish
    rows; ``all`` shows whole rows. Default: ``auto``.
    """
    images: int
    """Maximum images of a result. They take tokens of the budget by their pixels; ``read_result`` shows those that are
    left out. Default: 4.
    """
    format: Format
    """How results are written: as plain JSON (``json``), in the lossless dense form (``columns``), or in the dense form
    where that saves enough tokens (``auto``). Default: json; of pages auto.
    """
    overflow: Overflow
    """What happens to a result that is over the budget after all lossless steps; ``offload`` requires a store. Default:
    ``shape``.
    """
    offload_over: int
    """With ``overflow`` ``offload``, a result with more tokens is stored and not shown; a smaller one is shaped.
    Default: 16000.
    """
    snapshot: bool
    """Whether later pages come from the stored result of the first page, if there is a store. Default: true."""
    preview: Preview
    """Which part of a long text is shown; ``auto``: its start, notable lines, and its end. Default: ``auto``."""
    text: TextFormat
    """How a text over the budget is read: by its recognized structure (``auto``), as plain text, or only as the named
    format. Default: ``auto``.
    """
    schema: Schema
    """How a tool's output schema is handled: ``widen`` also allows what shaping returns in place of a result;
    ``preserve`` keeps the schema, and shrinks results within it. Default: ``widen``.
    """
    controls: Controls
    """Where callers find the call controls: in ``read_result`` alone (``result``), in the tools too (``tool``), or in
    ``read_result`` alone where a store lets it answer for the tool (``auto``). Default: ``auto``.
    """
    receipt: ReceiptIn
    """Whether results carry their receipt in ``_meta``, which several hosts show to the model. Default: ``none``."""
    no_transform: NoTransform
    """Where ``_meta`` may have ``"toolshape/noTransform": true``, so that a result passes whole whatever its size, as
    by HTTP's ``no-transform``: in the tool's result, or also in the caller's request (``request``). Default:
    ``result``.
    """
    cursor_key: str | bytes | Sequence[str | bytes]
    """Secret of at least 16 bytes that signs cursors and handles; to rotate it, a list with the newest first. Default:
    none.
    """
    cursor_ttl: int
    """How long a cursor is valid, in seconds. Default: no limit."""
    output: Output
    """What is shown of a series or a grid, unless the caller requests the other form. Default: ``summary``."""
    series: SeriesOptions | Literal[False]
    """The tool's results are series; ``false`` cancels the option that is set for all tools. Default: none."""
    grid: GridOptions | Literal[False]
    """The tool's results are grids; ``false`` cancels the option that is set for all tools. Default: none."""


class Policy(ToolOptions, total=False):
    """The options of a shaper: ``policy: Policy = {"max_tokens": 4000}``, ``Shaper(**policy)``."""

    read_tool: str
    """Name of the tool that reads stored results; ``read_result`` in these pages. Default: ``read_result_`` and the
    server's name.
    """
    combined_tokens: int
    """Maximum tokens of several results that are returned together, or in the programs of one turn. Default: three
    times ``max_tokens``, at least 6000.
    """
    tools: Mapping[str, ToolOptions | Literal[False]]
    """Options of single tools by name; ``false`` leaves a tool unchanged. Default: none."""


class Call(TypedDict, total=False):
    """A call of a tool, as ``**call`` takes it: ``call: Call = {"tool": "list", "page": 2}``."""

    page: int | None
    """Page of a list. Default: 1."""
    page_size: int | None
    """Rows of a page, at most the policy's ``max_page_size``. Default: the policy's ``page_size``."""
    cursor: str | None
    """``nextCursor`` of the previous page. It takes precedence over ``page``. Default: none."""
    fields: Sequence[str] | None
    """Fields to show, at most 100: ``author.name`` or ``/author/name``; a single JSON Pointer returns the value at it.
    Default: the policy's ``fields``.
    """
    format: AskedFormat | None
    """How rows are written; ``text`` returns a text as the tool returned it, instead of its rows. Default: the policy's
    ``format``.
    """
    output: Output | None
    """What is shown of a series or a grid. Default: the policy's ``output``."""
    tool: str | None
    """Name of the tool. It selects the options in the policy's ``tools``, and cursors are bound to it. Default: none.
    """
    arguments: Mapping[str, Any] | None
    """Arguments of the call as the client sent them; call controls among them are found there. Default: none."""
    now: float | None
    """Current time in seconds since 1970, for the expiry of cursors. Default: the system clock; none in Rust."""
    scope: str | None
    """Owner of results, such as a tenant: handles are valid within one scope only. It requires a ``cursor_key``.
    Default: none.
    """
    session: str | None
    """Conversation of one client: ``read_result`` without a handle lists what it stored, or with a ``scope`` what that
    scope did. Default: none.
    """
    own_arguments: Sequence[str] | None
    """Names of call controls that are the tool's own arguments, from ``Shaper.tool``. Default: none."""


class ResultCall(Call, total=False):
    """A call whose result is a ``CallToolResult``: it adds the tool's output schema and the client's name."""

    page_arguments: Sequence[str] | None
    """Names of the tool's own arguments that may take a page, from ``Shaper.plan``. Default: none."""
    output_schema: Mapping[str, Any] | bool | None
    """For results in MCP's form: the tool's own output schema, or true if it is widened. Default: none."""


class _OfStore(TypedDict, total=False):
    """The options that an archive sets."""

    client: str | None
    """For results in MCP's form: the client's name. Its known limits also apply, if they are lower. Default: none."""
    meta: Mapping[str, Any] | None
    """For results in MCP's form: ``_meta`` of the request. A caller that is a program gets results whole. Default:
    none.
    """
    has_ui: bool | None
    """For results in MCP's form: a user interface reads the structured content, which stays whole. Default: false."""
    store: bool | None
    """There is a store, and the caller writes ``keep`` to it before it returns the result. Default: false."""
    store_failure: str | None
    """Why the store could not keep the result. The result then contains no handle. Default: none."""
    redact_failure: str | None
    """Why the result could not be redacted. An error result then replaces it. Default: none."""
    forbidden: bool | None
    """The caller may not read the stored result that the call names. The result then reports it. Default: false."""
    returned_by: Sequence[str] | None
    """Tools that returned the stored result that the call reads. Default: none."""


# The end of the generated part.


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
    """The options of a call of ``read_result``, in addition to its arguments."""

    tool: str | None
    now: float | None
    scope: str | None
    session: str | None
    client: str | None


class Summary(TypedDict, total=False):
    """The options of ``summarize_text``."""

    kind: Literal["log", "document"]
    uri: str
    pointer: str


class SummaryTask(TypedDict):
    """The text that a call of the tool ``summarize`` asks for.

    ``summary`` contains ``kind``, ``uri`` and ``pointer``, if known.
    """

    text: str
    summary: Summary


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


class ReceiptRows(TypedDict):
    """The rows that a page shows, and those of the list; ``None`` if nobody counted these."""

    returned: int
    total: int | None


class _OfSomeReceipts(TypedDict, total=False):
    client: str
    """In an adapter: the name of the client, if it has one."""
    request_id: str | int
    """In an adapter: the id of the request, if the SDK has it."""
    reason: str
    """Why there are steps, such as ``60 rows > paginate_after 50``; absent for a form that the server's author chose."""
    rows: ReceiptRows
    unmatched_fields: list[str]
    """The policy's fields that no row has."""
    failure: str
    """Why the result is not stored, if the store or ``redact`` failed."""


class Receipt(_OfSomeReceipts):
    """The measurement of one result; in ``_meta`` its keys are in camelCase."""

    tool: str | None
    steps: list[Step]
    tokens_before: int
    tokens_before_exact: bool
    """Whether ``tokens_before`` is an exact count; else it is estimated from a sample."""
    tokens_after: int
    budget: int | None
    encoding: Encoding
    bytes: int
    duration_ms: float


# `$schema` is not a valid name in a class body.
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
