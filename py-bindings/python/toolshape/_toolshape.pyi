from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, final

from typing_extensions import Unpack

from .types import (
    AskedFormat,
    Call,
    Controls,
    Encoding,
    Format,
    GridOptions,
    LinkMapping,
    LoadedEncoding,
    NoTransform,
    Output,
    Overflow,
    Pattern,
    Plan,
    Preview,
    Receipt,
    ReceiptIn,
    ResultCall,
    Returned,
    Schema,
    SeriesOptions,
    ShapedTool,
    Side,
    SortKey,
    StoredCall,
    StoredResultCall,
    SummaryTask,
    TextFormat,
    ToolOptions,
)

__all__ = [
    "Keep",
    "Keeping",
    "NativeStore",
    "Shaped",
    "ShapedResult",
    "Shaper",
    "StoreAccount",
    "__version__",
    "_panic",
    "answer",
    "call",
    "contents",
    "count_tokens",
    "decode",
    "decode_bytes",
    "encode",
    "encode_with_special",
    "expand",
    "fits_tokens",
    "for_server",
    "load_encoding",
    "own_text",
    "pass_result",
    "read_result_tool",
    "result_contents",
    "run_command",
    "shape_kept_result",
    "summarize_tool",
    "truncate_to_tokens",
]

__version__: str

@final
class Shaper:
    """Shapes results under one policy.

    An option that is left out or ``None`` has its default. An unknown option, a wrong type or a value out of range
    raises ``ToolshapeError`` with the code ``INVALID_POLICY``. A shaper is immutable, so threads may share it. ``default``
    is a function that receives each value without a JSON form, and returns what is written in its place, as that of
    ``json.dumps``. A pickle of a shaper contains its ``cursor_key``; ``repr`` does not.
    """

    def __new__(
        cls,
        *,
        max_tokens: int | None = 2000,
        encoding: Encoding | None = "o200k_base",
        margin: float | None = 0,
        paginate_after: int | None = None,
        page_size: int | None = None,
        max_page_size: int | None = 1000,
        fields: Sequence[str] | Literal["auto", "all"] | None = "auto",
        images: int | None = 4,
        format: Format | None = None,
        overflow: Overflow | None = "shape",
        offload_over: int | None = 16000,
        snapshot: bool | None = True,
        preview: Preview | None = "auto",
        text: TextFormat | None = "auto",
        schema: Schema | None = "widen",
        controls: Controls | None = "auto",
        receipt: ReceiptIn | None = "none",
        no_transform: NoTransform | None = "result",
        cursor_key: str | bytes | Sequence[str | bytes] | None = None,
        cursor_ttl: int | None = None,
        output: Output | None = "summary",
        series: SeriesOptions | Literal[False] | None = None,
        grid: GridOptions | Literal[False] | None = None,
        read_tool: str | None = None,
        combined_tokens: int | None = None,
        tools: Mapping[str, ToolOptions | Literal[False]] | None = None,
        default: Callable[[Any], object] | None = None,
    ) -> Shaper: ...
    def __copy__(self) -> Shaper: ...
    def __deepcopy__(self, _memo: object) -> Shaper: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...
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
        format: AskedFormat | None = None,
        output: Output | None = None,
        now: float | None = None,
        scope: str | None = None,
        session: str | None = None,
        own_arguments: Sequence[str] | None = None,
        has_ui: bool | None = None,
        store: bool | None = None,
        store_failure: str | None = None,
    ) -> Shaped:
        """Shapes a value; a ``str`` is shaped as text.

        ``store=True`` means that you write ``keep`` to your store before you return the result; ``store_failure`` is
        the reason why the store could not keep it, and ``redact_failure`` why it could not be redacted, so that an error
        replaces it; ``scope`` is the owner of stored results, such as a tenant. Reads no more of the value than it shows.
        Raises ``ToolshapeError``: ``INVALID_CALL`` for an unknown keyword,
        ``UNSUPPORTED_VALUE`` or ``TOO_DEEP`` for values without a JSON form. A wrong page, cursor or field is the
        model's mistake and returns a result with ``is_error``.
        """
    def shape_json(self, text: str | bytes | bytearray | memoryview, **call: Unpack[StoredCall]) -> Shaped:
        """Shapes a JSON text, a ``str`` or its UTF-8. Keeps the spelling of numbers and the order of keys.

        Raises ``ToolshapeError``: ``INVALID_JSON`` with line and column, and the errors of ``shape``.
        """
    def shape_together(
        self,
        results: Iterable[Returned],
        combined_tokens: int | None = None,
        *,
        _read_out: dict[int, Any] | None = None,
    ) -> list[Shaped]:
        """Shapes results that are returned together, so that their sum is at most ``combined_tokens`` (default: the
        policy's). With a store the largest are stored first; without one each gets a smaller budget, at least 200
        tokens.

        Raises ``ToolshapeError`` as ``shape`` and ``shape_json`` do; the path begins with the result's index.
        """
    def keyset_page(
        self,
        rows: object,
        *,
        keys: Sequence[str | SortKey],
        limit: int | None = None,
        **call: Unpack[Call],
    ) -> Shaped:
        """Shapes a page of rows from your own query, sorted by ``keys``: ``limit`` rows, and one more if more follow.
        It is shaped like any list; the cursor contains the keys of the last row that is shown.

        Raises ``ToolshapeError``: ``INVALID_CALL`` naming the row, if rows lack a key, are not sorted by the keys or
        have equal keys, and the errors of ``shape``.
        """
    def decode_keyset(self, cursor: str | None, /, **call: Unpack[Call]) -> list[Any] | None:
        """The sort keys of the row after which your next query continues, in the order of ``keys``; ``None`` for the
        first page. A number that a ``float`` cannot represent exactly is a ``Decimal``.

        Raises ``ToolshapeError``: ``INVALID_CURSOR`` with the reason; ``refusal`` converts it to a result.
        """
    def page_size(self, **call: Unpack[Call]) -> int:
        """The rows of a page for this call: the size that the caller asks for, within the policy. Fetch one more.
        Raises ``ToolshapeError``: ``INVALID_CALL`` for a page size out of range.
        """
    def output_schema(self, tool: str | None = None) -> dict[str, Any] | None:
        """The JSON Schema of a tool's results, to use as its output schema, if the policy declares that they are series
        or grids; else ``None``. It does not describe error results.
        """
    def links(self, rows: object, mapping: LinkMapping, **call: Unpack[Call]) -> Shaped:
        """Links to the rows of a list instead of the rows. ``value`` is MCP ``content``: a text block that explains how
        to open a link and which page it is, then a ``resource_link`` block for each row.

        Raises ``ToolshapeError``: ``INVALID_CALL`` naming the row, if it lacks a field of ``uri`` or ``name``, and the
        errors of ``shape``.
        """
    def summarize_text(
        self,
        text: str,
        *,
        kind: Literal["log", "document"] | None = None,
        uri: str | None = None,
        pointer: str | None = None,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        store: bool | None = None,
        store_failure: str | None = None,
        redact_failure: str | None = None,
        scope: str | None = None,
        now: float | None = None,
    ) -> Shaped:
        """Summarizes a text over the budget by its own lines: a log by templates with counts, errors first; a document
        by headings and leading sentences. A text within the budget passes unchanged.

        ``kind`` is detected from the text if left out. ``uri`` is a link to the original, ``pointer`` the position of
        the text in it. Raises ``ToolshapeError``: ``INVALID_CALL``, also if neither ``store`` nor ``uri`` is given, because the
        rest would be lost.
        """
    def to_summarize(self, key: str | None, content: str | None, **call: Unpack[StoredCall]) -> SummaryTask | Shaped:
        """The text that a call of the tool ``summarize`` asks for, to pass to ``summarize_text``; or the answer, if the
        text is within the budget or the call is wrong. ``key`` and ``content`` are as in ``read_result``.

        Raises ``ToolshapeError``: ``INVALID_CALL`` for a mistake of the server's author.
        """
    def refusal(self, error: BaseException, **call: Unpack[Call]) -> Shaped | None:
        """The result that explains to the model what is wrong with its call, such as an unusable cursor or a page size
        out of range. ``None`` for every other error.
        """
    def rate_limit(
        self,
        error: object,
        *,
        now: float | None = None,
        tool: str | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> Shaped | None:
        """The result for an upstream's rate limit (HTTP 429), or ``None`` if ``error`` does not report one.

        ``error`` is an exception from any HTTP client, or a response. If Retry-After is a date, the delay is counted
        from ``now``, in seconds since 1970; default the system clock.
        """

    def shape_result(self, returned: object, **call: Unpack[StoredResultCall]) -> ShapedResult:
        """Shapes what a tool returned to a ``CallToolResult``: one as a dict or of the SDK's class, or any other value.
        Texts and structured content have the same data and are within the budget; everything else passes unchanged.

        ``own_arguments`` is the value from ``tool``, ``output_schema`` is the tool's own or ``True`` if it is widened,
        ``client`` is the client's name: its known limits also apply, if they are lower. Raises the errors of ``shape``.
        """
    def thrown_result(
        self, error: object, *, said: str | None = None, **call: Unpack[ResultCall]
    ) -> ShapedResult | None:
        """The result for an error that a tool raised: a rate limit, or an error with too long a message (``said``, or
        its own). ``None`` for every other error, for one that is a request to the client, and for one that controls a
        framework, such as an interrupt: raise it again.
        """
    def check_call(self, **call: Unpack[StoredResultCall]) -> ShapedResult | None:
        """The result for a call whose controls are wrong whatever the tool returns; ``None`` for every other call."""
    def plan(self, tool: Mapping[str, Any], *, has_store: bool = False) -> Plan:
        """How an adapter handles a tool of a server with or without a store."""
    def added_tools(self, has_store: bool, summarizes: bool) -> list[dict[str, Any]]:
        """The tools that an adapter adds to the server's own."""
    def tool(self, tool: Mapping[str, Any], *, has_store: bool = False) -> ShapedTool:
        """A tool in the form of MCP's ``tools/list``, as clients of a server with or without a store see it.

        Its input schema has the call controls, unless the policy's ``controls`` has them in ``read_result`` alone, as it does
        by default with a store.
        """

@final
class ShapedResult:
    """What a tool returned, as a ``CallToolResult`` within the budget."""

    @property
    def result(self) -> dict[str, Any]:
        """The ``CallToolResult`` as a dict."""
    @property
    def unchanged(self) -> bool:
        """Whether content and structured content are the tool's own."""
    @property
    def is_error(self) -> bool:
        """Whether the result reports an error."""
    @property
    def receipt(self) -> Receipt | None:
        """The measurement, also in ``_meta``. ``None`` if toolshape does not shape the result, which is then the tool's
        own.
        """
    @property
    def keep(self) -> Keep | None:
        """What must be written to the store before the result is returned, because the result refers to it; ``None`` if
        there is nothing to store.
        """

@final
class Shaped:
    """One shaped result."""

    @property
    def value(self) -> Any:
        """The caller's own value if ``unchanged``, else ``text`` parsed by ``json.loads``."""
    @property
    def text(self) -> str:
        """What the model reads: JSON, or the tool's own text if it passed unchanged."""
    @property
    def tokens(self) -> int:
        """How many tokens ``text`` has."""
    @property
    def receipt(self) -> Receipt:
        """The measurement, for operators."""
    @property
    def keep(self) -> Keep | None:
        """What must be written to the store before the result is returned, because the result refers to it."""
    @property
    def image(self) -> str | None:
        """The block of a stored image that ``read_result`` shows, as JSON text; ``text`` only describes it."""
    @property
    def is_error(self) -> bool:
        """Whether the result explains an error instead of containing data."""
    @property
    def unchanged(self) -> bool:
        """Whether the value passed unchanged."""

@final
class Keep:
    """A complete result, as it is to be written to the store."""

    @property
    def id(self) -> str:
        """64 hexadecimal digits."""
    @property
    def key(self) -> str:
        """The key in the store: the id with ``.json`` or ``.txt``."""
    @property
    def ticket(self) -> str:
        """The key for the ticket, to be written after the content: the handle with ``.handle``."""
    @property
    def owner(self) -> str | None:
        """The owner, as a name that reveals nothing about the call's ``scope``; ``None`` without a scope."""
    @property
    def content(self) -> str:
        """The tool's result as minified JSON, or its plain text."""
    @property
    def about(self) -> str:
        """What it is, in a few words: its rows and keys, or its first line, and its size."""
    @property
    def images(self) -> Keep | None:
        """The images that the result leaves out next to a text that it shortens, to be written likewise."""

def count_tokens(text: str, encoding: Encoding = "o200k_base") -> int:
    """How many tokens ``text`` has; a lone surrogate counts as U+FFFD."""

def fits_tokens(text: str, limit: int, encoding: Encoding = "o200k_base") -> int | None:
    """The token count of ``text`` if it is at most ``limit``, else ``None``; stops counting soon after the limit."""

def truncate_to_tokens(text: str, limit: int, encoding: Encoding = "o200k_base", side: Side = "head") -> str:
    """The longest start or end of ``text`` that is at most ``limit`` tokens and does not split a grapheme cluster."""

def encode(text: str, encoding: Encoding = "o200k_base") -> list[int]:
    """The tokens of ``text``; special tokens in it are treated as ordinary text.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for an encoding without tokens.
    """

def encode_with_special(text: str, encoding: Encoding = "o200k_base") -> list[int]:
    """The tokens of ``text``, with names such as ``<|endoftext|>`` encoded as special tokens.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for an encoding without tokens.
    """

def decode(tokens: Iterable[int], encoding: Encoding = "o200k_base") -> str:
    """The text of tokens; a partial character at a token boundary becomes U+FFFD.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for a number that is not a token of the encoding.
    """

def decode_bytes(tokens: Iterable[int], encoding: Encoding = "o200k_base") -> bytes:
    """The bytes of tokens: UTF-8, which may end inside a character.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for a number that is not a token of the encoding.
    """

def load_encoding(name: str, ranks: bytes, pattern: Pattern) -> LoadedEncoding:
    """Makes an encoding from a rank file in tiktoken's format: on each line a token in base64, a space and its rank.
    Returns the name, which counting functions and policies accept. Loading the same name again has no effect.

    Raises ``ToolshapeError``: ``INVALID_CALL`` for a name that is in use or empty, an unknown pattern, or unusable
    ranks.
    """

def expand(text: str | bytes | bytearray | memoryview) -> str:
    """The minified original of a JSON text in the dense form, which ``_form`` describes; any other JSON text is minified.

    Raises ``ToolshapeError``: ``INVALID_JSON`` for what is not JSON, or not what its ``_form`` describes; ``TOO_DEEP``.
    """

def read_result_tool() -> dict[str, Any]:
    """The tool ``read_result`` as a server lists it: name, description, inputSchema, annotations."""

def summarize_tool(has_store: bool) -> dict[str, Any]:
    """The tool ``summarize`` as a server lists it, with or without a store."""

# What archives and adapters use; ``call`` has the methods that all faces share (``crates/methods/src/table.rs``).
def answer(shaped: Shaped, client: str | None) -> dict[str, Any]: ...
def call(
    method: str, shaper: Shaper | None = None, /, *, texts: Mapping[str, Any] | None = None, **members: Any
) -> Any: ...
def contents(shaper: Shaper, value: object, is_text: bool, **call: Any) -> tuple[Sequence[tuple[str, bool]], bool]: ...
def for_server(shaper: Shaper, server: str) -> Shaper: ...
def own_text(what: str, given: object) -> str: ...
def pass_result(shaper: Shaper, returned: object, tool: str | None, client: str | None) -> ShapedResult | None: ...
def run_command(arguments: Sequence[str]) -> int: ...
def result_contents(shaper: Shaper, returned: object, **call: Any) -> tuple[Sequence[tuple[str, bool]], bool]: ...
def shape_kept_result(
    shaper: Shaper, returned: object, contents: Sequence[str], is_json: bool, is_redacted: bool, **call: Any
) -> ShapedResult: ...

@final
class NativeStore:
    def __new__(cls, folder: str | None, max_bytes: float, max_value_bytes: float, max_share: float) -> NativeStore: ...
    def get(self, key: str) -> str | None: ...
    def set(self, key: str, value: str, ttl_seconds: float, owner: str | None) -> None: ...
    def delete(self, key: str) -> None: ...
    def sweep(self) -> None: ...

@final
class Keeping:
    def leaving(self) -> list[str]: ...
    def removed(self, key: str) -> None: ...
    def check(self) -> None: ...
    def end(self, is_written: bool) -> None: ...

@final
class StoreAccount:
    def __new__(cls, max_bytes: float, max_value_bytes: float, max_share: float) -> StoreAccount: ...
    def begin(self, key: str, size: int, owner: str | None, ttl_seconds: float) -> Keeping | None: ...
    def forget(self, key: str) -> None: ...

def _panic() -> None:
    """Panics, so that tests can check how a panic is reported."""
