from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, final

from typing_extensions import Unpack

from .types import (
    ArchiveCall,
    Encoding,
    Format,
    GridOptions,
    JsonSchema,
    LinkMapping,
    LoadedEncoding,
    Output,
    Overflow,
    Pattern,
    Plan,
    PresetName,
    PresetOptions,
    Preview,
    Receipt,
    ResultCall,
    Resource,
    Returned,
    Schema,
    SeriesOptions,
    ShapedTool,
    Side,
    SortKey,
    StoredCall,
    StoredResultCall,
    SummaryTask,
    ToolOptions,
)

__all__ = [
    "Keep",
    "Shaped",
    "ShapedResult",
    "Shaper",
    "__version__",
    "_panic",
    "added_tools",
    "answer",
    "archive_options",
    "check_redacted",
    "count_tokens",
    "decode",
    "decode_bytes",
    "encode",
    "encode_with_special",
    "fits_tokens",
    "handle_keys",
    "infer_schema",
    "infer_schema_json",
    "keeping",
    "load_encoding",
    "lookup",
    "own_text",
    "preset",
    "read_result_tool",
    "receipt_line",
    "resource",
    "result_template",
    "shape_kept_result",
    "summarize_tool",
    "summarizer_options",
    "truncate_to_tokens",
]

__version__: str

@final
class Shaper:
    """Shapes results under one policy.

    An option that is left out or ``None`` has its default; an unknown one, a wrong type or a value out
    of range raises ``ToolshapeError`` with the code ``INVALID_POLICY``. A shaper never changes, so
    threads may share it.
    """

    def __new__(
        cls,
        *,
        max_tokens: int | None = 2000,
        encoding: Encoding | None = "o200k_base",
        margin: float | None = 0,
        paginate_after: int | None = 50,
        page_size: int | None = 20,
        max_page_size: int | None = 100,
        fields: Sequence[str] | None = None,
        format: Format | None = "json",
        overflow: Overflow | None = "shape",
        offload_over: int | None = 16000,
        snapshot: bool | None = True,
        preview: Preview | None = "head",
        schema: Schema | None = "widen",
        output: Output | None = "summary",
        series: SeriesOptions | Literal[False] | None = None,
        grid: GridOptions | Literal[False] | None = None,
        detect: bool | None = False,
        cursor_key: str | Sequence[str] | None = None,
        cursor_ttl: int | None = None,
        combined_tokens: int | None = 6000,
        tools: Mapping[str, ToolOptions | Literal[False]] | None = None,
    ) -> Shaper: ...
    def shape(
        self,
        value: object,
        *,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        page: int | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        fields: Sequence[str] | None = None,
        format: Format | None = None,
        output: Output | None = None,
        now: float | None = None,
        store: bool | None = None,
        store_failure: str | None = None,
        scope: str | None = None,
    ) -> Shaped:
        """Shapes a value; a ``str`` is shaped as text.

        ``store=True`` says that what comes out as ``keep`` will be in your store before the result is told,
        ``store_failure`` why the store could not take it, ``scope`` whose results are named and found.
        Reads no more of the value than it shows. Raises ``ToolshapeError``: ``INVALID_CALL`` for an
        unknown keyword, ``UNSUPPORTED_VALUE`` or ``TOO_DEEP`` for what has no JSON form. A wrong page,
        cursor or field is the model's fault and gives a result with ``is_error``.
        """
    def shape_json(self, text: str, **call: Unpack[StoredCall]) -> Shaped:
        """Shapes a JSON text, keeping the spelling of numbers and the order of keys.

        Raises ``ToolshapeError``: ``INVALID_JSON`` with line and column, and as ``shape`` does.
        """
    def shape_together(
        self,
        results: Iterable[Returned],
        combined_tokens: int | None = None,
        *,
        _read_out: dict[int, Any] | None = None,
    ) -> list[Shaped]:
        """Shapes results that come back together, so that they have at most ``combined_tokens`` in all (the
        policy's, if left out): with a store the largest are stored first, without one they get less room, none
        less than 200.

        Raises ``ToolshapeError`` as ``shape`` and ``shape_json`` do, the path led by the result's index.
        """
    def snapshot(self, **call: Unpack[ArchiveCall]) -> str | None:
        """The handle of the stored result that serves this call, so that the tool need not run; ``None`` where
        its cursor names none. Get it from your store by one of its ``handle_keys``, and call
        ``shape_snapshot``.
        """
    def shape_snapshot(self, key: str, content: str, **call: Unpack[ArchiveCall]) -> Shaped | None:
        """Shapes what your store holds under ``key`` for a call that it serves. ``None`` where that is not what
        the call's cursor names, because it was changed or belongs to another scope: then run the tool.
        """
    def keyset_page(
        self,
        rows: object,
        *,
        keys: Sequence[str | SortKey],
        limit: int | None = None,
        **call: Unpack[ArchiveCall],
    ) -> Shaped:
        """A page of rows that your own query fetched, sorted by ``keys``: ``limit`` of them, and one more
        if more follow. Shaped as any list; the cursor holds the keys of the last row shown.

        Raises ``ToolshapeError``: ``INVALID_CALL`` naming the row, for rows that lack a key, are not in the
        order of their keys or are not told apart by them, and as ``shape`` does.
        """
    def decode_keyset(
        self,
        cursor: str | None,
        *,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        page: int | None = None,
        page_size: int | None = None,
        fields: Sequence[str] | None = None,
        format: Format | None = None,
        output: Output | None = None,
        now: float | None = None,
    ) -> list[Any] | None:
        """The sort keys of the row after which your next query goes on, in the order of ``keys``; ``None``
        for the first page. A number that a ``float`` cannot hold is a ``Decimal``.

        Raises ``ToolshapeError``: ``INVALID_CURSOR`` with the reason, which ``refusal`` makes a result of.
        """
    def page_size(
        self,
        *,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        page: int | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        fields: Sequence[str] | None = None,
        format: Format | None = None,
        output: Output | None = None,
        now: float | None = None,
    ) -> int:
        """How many rows a page of this call takes: what the caller asks for, within the policy. Fetch one
        more. Raises ``ToolshapeError``: ``INVALID_CALL`` for a page size out of range.
        """
    def output_schema(self, tool: str | None = None) -> dict[str, Any] | None:
        """The JSON Schema of a tool's results, for its output schema, if the policy declares that they are
        series or grids; else ``None``. Results that explain an error are not described.
        """
    def links(self, rows: object, mapping: LinkMapping, **call: Unpack[ArchiveCall]) -> Shaped:
        """Links to the rows of a list instead of the rows: ``value`` is MCP ``content``, a text block that
        says how to open one and where the page stands, then a ``resource_link`` block for each row.

        Raises ``ToolshapeError``: ``INVALID_CALL`` naming the row, for one that lacks a field of ``uri`` or
        ``name``, and as ``shape`` does.
        """
    def read_keys(
        self,
        *,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        scope: str | None = None,
        now: float | None = None,
    ) -> tuple[str, str]:
        """The names under which a store may hold what a call of ``read_result`` asks for: the likelier first.

        Raises ``ToolshapeError``: ``INVALID_HANDLE`` for whatever is no handle, which ``refusal`` makes a
        result of.
        """
    def read_result(self, key: str | None, content: str | None, **call: Unpack[ArchiveCall]) -> Shaped:
        """Answers a call of ``read_result`` from what the store holds: the name under which it was found, and
        the content; ``None`` where there is nothing. What is wrong with the call, and a content that is not
        the one that the handle names, is explained in a result.

        Raises ``ToolshapeError``: ``INVALID_CALL`` for what the server's author got wrong.
        """
    def summarize_text(
        self,
        text: str,
        *,
        kind: Literal["log", "document"] | None = None,
        uri: str | None = None,
        pointer: str | None = None,
        summary: str | None = None,
        by: str | None = None,
        failure: str | None = None,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        store: bool | None = None,
        store_failure: str | None = None,
        scope: str | None = None,
        now: float | None = None,
    ) -> Shaped:
        """Summarizes a text over the budget by its own lines: a log by templates with counts, errors first; a
        document by headings and leading sentences. A text that fits passes unchanged.

        ``kind`` is told from the text if left out, ``uri`` is a link to the original, ``pointer`` says where in it
        the text stands; ``summary`` is one that you made by other means, or ``failure`` says why there is none, and
        ``by`` who made it. One that is over the budget gives way to one of the text's own lines. Raises
        ``ToolshapeError``: ``INVALID_CALL``, also where there is neither ``store`` nor ``uri``, so that the rest
        would be lost.
        """
    def to_summarize(
        self, key: str | None, content: str | None, *, store: bool | None = None, **call: Unpack[ArchiveCall]
    ) -> SummaryTask | Shaped:
        """What a call of the tool ``summarize`` is about: a text, for ``summarize_text``, or its answer where there
        is nothing to summarize, because the text fits or the call is wrong. ``key`` and ``content`` are as for
        ``read_result``.

        Raises ``ToolshapeError``: ``INVALID_CALL`` for what the server's author got wrong.
        """
    def refusal(self, error: BaseException, **call: Unpack[ArchiveCall]) -> Shaped | None:
        """The result that explains to the model what was wrong with its call, if that is what was raised: a
        cursor that cannot be used, a page size out of range. ``None`` for everything else.
        """
    def rate_limit(
        self,
        error: object,
        *,
        now: float | None = None,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> Shaped | None:
        """The result for an upstream's rate limit (HTTP 429), or ``None`` if ``error`` tells of none.

        ``error`` is an exception, as any HTTP client raises it, or a response. A Retry-After that is a
        date is measured from ``now``, in seconds since 1970; from the system's clock if left out.
        """

    def shape_result(self, returned: object, **call: Unpack[StoredResultCall]) -> ShapedResult:
        """Shapes what a tool returned, a ``CallToolResult`` as a dict or a value of its own, to a
        ``CallToolResult``: texts and structured content tell the same and fit, all else passes.

        ``own_arguments`` is what ``tool`` says, ``output_schema`` the tool's own or ``True`` for one that is
        widened, ``client`` the client's name, whose known limits hold too where they are lower. Raises as
        ``shape`` does.
        """
    def shape_snapshot_result(self, key: str, content: str, **call: Unpack[StoredResultCall]) -> ShapedResult | None:
        """As ``shape_snapshot``, as a ``CallToolResult``."""
    def rate_limit_result(
        self,
        error: object,
        *,
        now: float | None = None,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> ShapedResult | None:
        """As ``rate_limit``, as a ``CallToolResult``."""
    def thrown_result(
        self, error: object, *, said: str | None = None, **call: Unpack[ResultCall]
    ) -> ShapedResult | None:
        """The result for what a tool raised: for a rate limit, and for an error whose message (``said``, or its own)
        is too long. ``None`` for every other error, and for one that asks the client for something: raise it on.
        """
    def plan(self, tool: Mapping[str, Any]) -> Plan:
        """What becomes of a tool in an adapter."""
    def tool(self, tool: Mapping[str, Any]) -> ShapedTool:
        """A tool, in the form of MCP's ``tools/list``, as clients are to see it."""

@final
class ShapedResult:
    """What a tool returned, as a ``CallToolResult`` that fits."""

    @property
    def result(self) -> dict[str, Any]:
        """The ``CallToolResult`` as a dict."""
    @property
    def unchanged(self) -> bool:
        """Whether content and structured content are the tool's own."""
    @property
    def is_error(self) -> bool:
        """Whether the result tells of an error."""
    @property
    def _passed(self) -> list[int]: ...
    @property
    def receipt(self) -> Receipt | None:
        """The measurement, which also stands in ``_meta``; ``None`` where the result is not for toolshape
        to touch: then it is the tool's own.
        """
    @property
    def keep(self) -> Keep | None:
        """What has to be in the store before the result is told, because it tells of it; ``None`` if nothing
        has.
        """

@final
class Shaped:
    """One shaped result."""

    @property
    def value(self) -> Any:
        """The caller's own value if ``unchanged``, else ``text`` read by ``json.loads``."""
    @property
    def text(self) -> str:
        """What the model reads: JSON, unless it is text that passed unchanged."""
    @property
    def tokens(self) -> int:
        """How many tokens ``text`` has."""
    @property
    def receipt(self) -> Receipt:
        """The measurement, for operators."""
    @property
    def keep(self) -> Keep | None:
        """What has to be in the store before the result is told, because it tells of it."""
    @property
    def is_error(self) -> bool:
        """Whether the result tells of an error instead of carrying data."""
    @property
    def unchanged(self) -> bool:
        """Whether the value passed as it was."""

@final
class Keep:
    """A whole result as a store is to hold it."""

    @property
    def id(self) -> str:
        """64 hexadecimal digits: the handle."""
    @property
    def key(self) -> str:
        """The name in the store: the id, and ``.json`` or ``.txt``."""
    @property
    def content(self) -> str:
        """The tool's result as minified JSON, or its plain text."""

def count_tokens(text: str, encoding: Encoding = "o200k_base") -> int:
    """How many tokens ``text`` has; a lone surrogate counts as U+FFFD."""

def fits_tokens(text: str, limit: int, encoding: Encoding = "o200k_base") -> int | None:
    """The count of ``text`` if it is at most ``limit``, else ``None``; stops soon after the limit."""

def truncate_to_tokens(text: str, limit: int, encoding: Encoding = "o200k_base", side: Side = "head") -> str:
    """The longest start of ``text``, or its longest end, that is at most ``limit`` tokens and cuts no grapheme
    cluster."""

def encode(text: str, encoding: Encoding = "o200k_base") -> list[int]:
    """The tokens of ``text``; special tokens in it are ordinary text.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for an encoding that has no tokens.
    """

def encode_with_special(text: str, encoding: Encoding = "o200k_base") -> list[int]:
    """The tokens of ``text``, in which names such as ``<|endoftext|>`` are the special tokens they name.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for an encoding that has no tokens.
    """

def decode(tokens: Iterable[int], encoding: Encoding = "o200k_base") -> str:
    """The text that tokens stand for; where they end inside a character, U+FFFD stands in its place.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for what is no token of the encoding.
    """

def decode_bytes(tokens: Iterable[int], encoding: Encoding = "o200k_base") -> bytes:
    """The bytes that tokens stand for: UTF-8, of which a part of the tokens may end inside a character.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for what is no token of the encoding.
    """

def load_encoding(name: str, ranks: bytes, pattern: Pattern) -> LoadedEncoding:
    """Makes an encoding from a rank file in tiktoken's format: on each line a token in base64, a space and its rank.
    It gives the name, which counting and policies then take. Loading the same name again changes nothing.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for a name that is taken or empty, a pattern that is none, or ranks
    that cannot be used.
    """

def preset(name: PresetName) -> PresetOptions:
    """The options of a preset, to be taken as they are or with others beside them:
    ``Shaper(**preset("agent"), cursor_key=...)``.

    Raises ``ToolshapeError``: ``INVALID_POLICY`` for a name that is none.
    """

def handle_keys(handle: str) -> tuple[str, str]:
    """The names under which a store may hold what a handle names, the likelier first. A handle is 64 lower-case
    hexadecimal digits, or the address of a stored result.

    Raises ``ToolshapeError``: ``INVALID_HANDLE`` for anything else.
    """

def infer_schema(value: object) -> JsonSchema:
    """The JSON Schema (draft 2020-12) of a value: types, ``properties``, ``required`` and ``items``, the items
    of an array merged. Bounded in size: an object of more than 200 different keys is described by the schema
    of its values.

    Raises ``ToolshapeError``: ``UNSUPPORTED_VALUE``, ``TOO_DEEP``.
    """

def infer_schema_json(text: str) -> JsonSchema:
    """The same of a JSON text. Raises ``ToolshapeError``: ``INVALID_JSON`` with line and column, ``TOO_DEEP``."""

def read_result_tool() -> dict[str, Any]:
    """The tool ``read_result`` as a server lists it: name, title, description, inputSchema, annotations."""

def summarize_tool(has_store: bool) -> dict[str, Any]:
    """The tool ``summarize`` as a server with a store, or without one, lists it."""

def added_tools(has_store: bool, summarizes: bool) -> list[dict[str, Any]]:
    """The tools that an adapter adds to a server's own."""

def result_template() -> dict[str, str]:
    """The resources of stored results, as ``resources/templates/list`` shows them."""

def receipt_line(receipt: Receipt) -> str:
    """A receipt as one line of a log."""

# What archives and adapters ask of the core.
def answer(shaped: Shaped) -> dict[str, Any]: ...
def archive_options(*, ttl_seconds: float = ..., timeout_seconds: float = ...) -> dict[str, Any]: ...
def check_redacted(key: str, redacted: object) -> str: ...
def keeping(count: int, redacts: bool, heard: list[list[object]]) -> dict[str, Any]: ...
def lookup(shaper: Shaper, purpose: str, **call: Any) -> tuple[list[str], dict[str, Any]]: ...
def own_text(what: str, given: object) -> str: ...
def resource(shaper: Shaper, key: str | None, content: str | None, **call: Any) -> Resource: ...
def shape_kept_result(
    shaper: Shaper, returned: object, content: str, is_json: bool, is_redacted: bool, passed: list[int], **call: Any
) -> ShapedResult: ...
def summarizer_options(*, timeout_seconds: float = ...) -> dict[str, Any]: ...
def _panic() -> None:
    """Panics, so that tests see what becomes of a panic."""
