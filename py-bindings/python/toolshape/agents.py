"""The results of an agent's tools, without a framework: adapters for frameworks are thin faces over ``Harness``."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from . import _toolshape as core
from ._error import ToolshapeError
from ._made_shaper import made_shaper
from ._receipt_log import log_receipt
from ._tool_names import ToolNames
from ._toolshape import Shaped, ShapedResult, count_tokens
from .adapter import passes, shared_memory
from .archive import Archive, ArchiveOptions, described
from .stores import Store
from .types import Policy, Receipt

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Harness", "HarnessOptions", "HarnessResult", "HarnessTool", "Parts"]

COMBINED_TOKENS = 6000

T = TypeVar("T")


class HarnessOptions(ArchiveOptions, total=False):
    """The options of a harness, in addition to the policy.

    ``store`` keeps complete results, by default in the memory of this process; ``None`` is refused, because what is left out is
    read from it. ``scope`` is their owner, such as a tenant; it needs a ``cursor_key``. ``on_receipt`` is called with the
    receipt of every shaped result; by default the logger ``toolshape`` gets a line. ``on_warning`` is called once with each
    warning, such as one of options for a tool that the agent does not have; by default the logger gets it. The others are
    those of ``Archive``.
    """

    store: Store
    scope: str | None
    on_receipt: Callable[[Receipt], object]
    on_warning: Callable[[str], object] | None


@dataclass(frozen=True)
class Parts:
    """A result of texts and of what passes as it is, such as images in the form of a framework."""

    parts: Sequence[Any]
    is_error: bool = False

    @classmethod
    def of(cls, blocks: str | Iterable[Any], is_error: bool = False) -> Parts:
        """The texts of blocks, which are objects or dictionaries of the type ``text`` or with a text alone, and all other
        blocks as they are.
        """
        given = [blocks] if isinstance(blocks, str) else blocks
        return cls([_text_of(block) for block in given], is_error)


def noting(function: Callable[..., Any], note: Callable[[Any], object]) -> Callable[..., Any]:
    """The same function, which notes what it returns: most frameworks make text of it before any hook."""
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def noted_each(*args: Any, **named: Any) -> Any:
            async for each in function(*args, **named):
                note(each)
                yield each

        return noted_each
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def noted_later(*args: Any, **named: Any) -> Any:
            returned = await function(*args, **named)
            note(returned)
            return returned

        return noted_later

    @functools.wraps(function)
    def noted(*args: Any, **named: Any) -> Any:
        returned = function(*args, **named)
        note(returned)
        return returned

    return noted


def member(block: Any, name: str) -> Any:
    """A member of a block, which is an object or a dictionary."""
    return block.get(name) if isinstance(block, dict) else getattr(block, name, None)


def _text_of(block: Any) -> Any:
    """The text of a block of text; any other block."""
    is_text = member(block, "type") == "text" or (isinstance(block, dict) and list(block) == ["text"])
    return member(block, "text") if is_text else block


def _texts(content: Any) -> list[str]:
    """The texts of a content, which is a text or blocks."""
    parts = map(_text_of, content) if isinstance(content, list) else [content]
    return [part for part in parts if isinstance(part, str)]


def _with_text(content: Any, text: str) -> Any:
    """A content with this text in place of its own."""
    if not isinstance(content, list):
        return text
    return [{"type": "text", "text": text}, *(block for block in content if not _texts([block]))]


@dataclass(frozen=True)
class HarnessResult:
    """A result for a model: its parts, which are texts and the tool's own blocks and ``Parts``, and its texts together.

    ``is_unchanged``: the result is the tool's own, so that a framework can send what the tool returned. ``original`` is what the
    tool returned, for users and programs; ``None`` if it raised.
    """

    parts: Sequence[Any]
    text: str
    is_error: bool
    is_unchanged: bool
    original: Any

    @property
    def has_only_text(self) -> bool:
        return all(isinstance(part, str) for part in self.parts)

    @property
    def content(self) -> str | list[Any]:
        """The text, or the blocks if there are others than texts."""
        return self.text if self.has_only_text else self.blocks

    @property
    def blocks(self) -> list[Any]:
        """The parts as blocks: texts have the form ``{"type": "text", "text": ...}``."""
        return [{"type": "text", "text": part} if isinstance(part, str) else part for part in self.parts]


@dataclass(frozen=True)
class HarnessTool:
    """A tool that reads stored results: its definition in MCP's form, and its function."""

    mcp: dict[str, Any]
    call: Callable[[Mapping[str, Any] | str], Awaitable[HarnessResult]]

    def reader(self, error: Callable[[str], Exception]) -> Callable[..., Coroutine[Any, Any, str]]:
        """A function that returns the text of an answer, and raises ``error`` with it where it is an error."""

        async def read(**arguments: Any) -> str:
            result = await self.call(arguments)
            if result.is_error:
                raise error(result.text)
            return result.text

        return read

    @property
    def name(self) -> str:
        return str(self.mcp["name"])

    @property
    def description(self) -> str:
        return str(self.mcp["description"])

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return dict(self.mcp["inputSchema"])

    @property
    def openai(self) -> dict[str, Any]:
        """Its definition for OpenAI's Chat Completions."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}

    @property
    def responses(self) -> dict[str, Any]:
        """Its definition for OpenAI's Responses."""
        return {**self.openai["function"], "type": "function", "strict": False}

    @property
    def anthropic(self) -> dict[str, Any]:
        """Its definition for Anthropic's Messages."""
        return {"name": self.name, "description": self.description, "input_schema": self.parameters}


class Harness:
    """Shapes what an agent's tools return, keeps the whole, and reads it back.

    ``tools`` are to be given to the model in addition to one's own. Raises ``ToolshapeError``: ``INVALID_POLICY``;
    ``INVALID_CALL`` for an option.
    """

    def __init__(self, policy: Policy | core.Shaper | None = None, **options: Unpack[HarnessOptions]) -> None:
        given: dict[str, Any] = {**options}
        # What is absent has its default, except for the store.
        named = {name: value for name, value in given.items() if value is not None or name == "store"}
        core.call("checkHarnessOptions", options=described(named))
        store = named.pop("store") if "store" in named else shared_memory()
        self._scope = named.pop("scope", None)
        self._on_receipt = named.pop("on_receipt", log_receipt)
        self._names = ToolNames(policy, named.pop("on_warning", None))
        # What has no JSON form is written as text, as frameworks do.
        self._shaper = made_shaper(
            {"default": str, **policy} if isinstance(policy, Mapping) else policy or {"default": str}
        )
        if self._scope is not None:
            if not isinstance(self._scope, str):
                raise ToolshapeError("scope must be a str, such as the name of a tenant", "INVALID_CALL", "/scope")
            core.call("checkScope", self._shaper)
        self._archive = Archive(self._shaper, store, **named)
        own = policy if isinstance(policy, Mapping) else {}
        self._encoding: Any = own.get("encoding", "o200k_base")
        self._combined_tokens: int = own.get("combined_tokens", COMBINED_TOKENS)
        self.tools = [HarnessTool(tool, self._read) for tool in self._shaper.added_tools(True, False)]

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        work: Callable[[Any], Any],
        read: Callable[[Any], Any] = lambda returned: returned,
    ) -> HarnessResult:
        """Runs a call, and returns its result within the budget.

        ``arguments`` may be their JSON text. ``work`` gets the arguments, may be ``async``, and returns anything: a text, a value, an
        iterator, a ``CallToolResult``, ``Parts``, or what is shaped already. ``read`` finds the value for the model in an object of a
        framework. A call of one of ``tools`` is answered without them. A rate limit, and an error whose message is over the budget, become results; every other
        exception is raised unchanged.
        """
        given = _arguments(arguments)
        if given is None:
            return _REFUSED
        if self.reads(name):
            return await self._read(given)
        if (answer := await self.continued(given)) is not None:
            return answer
        planned = core.call("planUnlisted", self._shaper, name=name)["call"]
        call: Any = {**planned, "arguments": dict(given), "scope": self._scope}
        try:
            returned = work(given)
            if inspect.isawaitable(returned):
                returned = await returned
            original = await _collected(returned)
            value = read(original)
        except Exception as error:
            shaped = None if passes(error) else await self._archive.thrown_result(error, said=str(error), **call)
            if shaped is None:
                raise
            return self._result(shaped, None)
        if isinstance(value, HarnessResult):
            return replace(value, is_unchanged=False)
        is_own = original is returned
        try:
            shaped = await self._shaped(value, call)
        except ToolshapeError as error:
            if error.code not in ("UNSUPPORTED_VALUE", "TOO_DEEP"):
                raise
            # What has no JSON form is written as text, as frameworks do; what is too deep has no text either.
            said = str(value) if error.code == "UNSUPPORTED_VALUE" else Parts([str(error)], is_error=True)
            shaped, is_own = await self._shaped(said, call), False
        result = self._result(shaped, original)
        return result if is_own else replace(result, is_unchanged=False)

    async def after(self, name: str, arguments: Mapping[str, Any] | str, outcome: Any) -> HarnessResult | None:
        """What a model reads in place of what a tool has returned, or of the exception that it has raised, for hooks that run
        after a tool. ``None`` for what stays: what fits, exceptions that keep their meaning, and answers of ``tools``.
        """
        if self.reads(name):
            return None

        def work(_: Any) -> Any:
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome

        try:
            result = await self.call(name, arguments, work)
        except BaseException as error:
            if error is outcome:
                return None
            raise
        return None if result.is_unchanged else result

    async def _shaped(self, value: Any, call: Any) -> ShapedResult:
        value = _mcp(value) if isinstance(value, Parts) else value
        if self._scope is None and not self._archive.redacts_all:
            passed = core.pass_result(self._shaper, value, call["tool"], None)
            if passed is not None:
                return passed
        return await self._archive.shape_result(value, **call)

    async def continued(self, arguments: Mapping[str, Any]) -> HarnessResult | None:
        """The next part of a stored result, if the arguments of a call have a cursor into one: then the tool need not run, and
        often would not know it.
        """
        cursor = arguments.get("cursor")
        if not isinstance(cursor, str):
            return None
        answer = await self._archive.read_result({"cursor": cursor}, scope=self._scope)
        return None if answer.is_error else self._answer(answer)

    def check_names(self, tools: Iterable[str]) -> None:
        """Warns once of options in the policy for tools that are not among those of the agent."""
        self._names.check(tools)

    def refuse_names(self, own: Iterable[str]) -> None:
        """Raises ``ToolshapeError``: ``INVALID_CALL`` for a tool of the agent with the name of one of ``tools``."""
        added = [tool.name for tool in self.tools]
        for name in own:
            core.call("checkToolName", name=name, added=added)

    def reads(self, name: str) -> bool:
        """Whether this is the name of one of ``tools``."""
        return any(tool.name == name for tool in self.tools)

    async def fit(self, turn: Iterable[tuple[str | None, str]]) -> list[str]:
        """The texts of results that a model reads together, given as pairs of a tool's name and a text; at most
        ``combined_tokens`` of the policy in sum, by default 6000.

        The largest are stored first, the smallest stay as they are; what is smaller than a handle always does. The same texts give the same answer, so a turn can be
        fitted each time it is sent.
        """
        pairs = list(turn)
        if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 and isinstance(pair[1], str) for pair in pairs):
            raise ToolshapeError(
                "a result is a pair of a tool's name and a text: fit([(name, text), …])", "INVALID_CALL"
            )
        texts = [text for _, text in pairs]
        if len(texts) < 2 or sum(count_tokens(text, self._encoding) for text in texts) <= self._combined_tokens:
            return texts
        scope: Any = {"scope": self._scope}
        results: Any = [{"value": text, "call": {"tool": tool, **scope}} for tool, text in pairs]
        shaped = await self._archive.shape_together(results, self._combined_tokens)
        for one in shaped:
            if one.receipt["steps"]:
                self._report(one.receipt)
        return [text if one.unchanged else one.text for text, one in zip(texts, shaped)]

    async def fit_each(
        self,
        items: Iterable[T],
        read: Callable[[T], tuple[str | None, Any] | None],
        write: Callable[[T, Any], T],
    ) -> list[T]:
        """Items among which are results, in which the texts of each turn are within their sum.

        ``read`` finds the tool's name and the content of a result, which is a text or blocks; ``None`` for another item, which
        ends a turn. ``write`` puts a content of the same kind into an item.
        """
        fitted = list(items)
        turn: list[tuple[int, str | None, str, Any]] = []

        async def end() -> None:
            texts = await self.fit((name, text) for _, name, text, _ in turn)
            for (at, _, before, content), text in zip(turn, texts):
                if text != before:
                    fitted[at] = write(fitted[at], _with_text(content, text))
            turn.clear()

        for at, item in enumerate(fitted):
            result = read(item)
            if result is None:
                await end()
            elif texts := _texts(result[1]):
                turn.append((at, result[0], "".join(texts), result[1]))
        await end()
        return fitted

    async def _read(self, arguments: Mapping[str, Any] | str) -> HarnessResult:
        given = _arguments(arguments)
        if given is None:
            return _REFUSED
        return self._answer(await self._archive.read_result(given, scope=self._scope))

    def _answer(self, shaped: Shaped) -> HarnessResult:
        self._report(shaped.receipt)
        part = shaped.text if shaped.image is None else json.loads(shaped.image)
        return HarnessResult([part], shaped.text, shaped.is_error, False, part)

    def _result(self, shaped: ShapedResult, original: object) -> HarnessResult:
        if shaped.receipt is not None:
            self._report(shaped.receipt)
        result = shaped.result
        parts = [_part(block) for block in result["content"]]
        if not parts and result.get("structuredContent") is not None:
            parts = [json.dumps(result["structuredContent"], ensure_ascii=False, separators=(",", ":"))]
        text = "".join(part for part in parts if isinstance(part, str))
        is_unchanged = shaped.unchanged or shaped.receipt is None or self._fits(original, shaped.receipt)
        return HarnessResult(parts, text, shaped.is_error, is_unchanged, original)

    def _fits(self, value: object, receipt: Receipt) -> bool:
        # Frameworks write values with more white space than JSON needs.
        most = receipt["budget"]
        return not receipt["steps"] and (most is None or count_tokens(str(value), self._encoding) <= most)

    def _report(self, receipt: Receipt) -> None:
        self._names.check_fields(receipt)
        # A failing receipt callback must not break the result.
        with suppress(Exception):
            self._on_receipt(receipt)


class Adapted:
    """What the adapters of all frameworks have: a harness.

    Raises ``ToolshapeError``: ``INVALID_POLICY``, ``INVALID_CALL``.
    """

    # What the framework's own class takes.
    init: tuple[str, ...] = ()

    def __init__(self, policy: Policy | None = None, **options: Unpack[HarnessOptions]) -> None:
        super().__init__(*self.init)
        self.harness = Harness(policy, **options)


# What a model reads whose arguments are not an object: the tool must not run without its filters.
_NO_ARGUMENTS = "The arguments are not a JSON object, so nothing was called. Repeat the call."
_REFUSED = HarnessResult([_NO_ARGUMENTS], _NO_ARGUMENTS, True, False, None)


def _arguments(given: Mapping[str, Any] | str) -> Mapping[str, Any] | None:
    """The arguments; ``None`` if they are not an object, as where a model's output is cut off."""
    if not isinstance(given, str):
        return given if isinstance(given, Mapping) else None
    try:
        read = json.loads(given or "{}")
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


async def _collected(value: Any) -> Any:
    """What an iterator gives, as a list; the text of what is shaped already; any other value."""
    if isinstance(value, AsyncIterator):
        return [each async for each in value]
    if isinstance(value, Shaped):
        return Parts([value.text], value.is_error)
    return list(value) if isinstance(value, Iterator) else value


# A block of MCP that passes, with the part that it contains.
_OWN = "toolshape:own"


def _mcp(parts: Parts) -> dict[str, Any]:
    """Parts as a ``CallToolResult``."""

    def block(part: Any) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        return {"type": "resource", "resource": {"uri": _OWN, "blob": "", "own": part}}

    return {"content": [block(part) for part in parts.parts], "isError": parts.is_error}


def _part(block: Any) -> Any:
    """The part that a block contains."""
    if isinstance(block, dict):
        if block.get("type") == "text":
            return block["text"]
        if block.get("type") == "resource" and block["resource"].get("uri") == _OWN:
            return block["resource"]["own"]
    return block
