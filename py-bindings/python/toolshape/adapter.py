"""The part of adapters that is the same for every SDK: plan a tool, run a call of it. The core makes the decisions;
this code executes them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from . import _toolshape as core
from ._receipt_log import log_receipt
from ._summarizer import Summarizer
from ._toolshape import Shaped, ShapedResult, Shaper, result_template
from .archive import Archive, described
from .stores import MemoryStore, Store
from .types import Authorize, Receipt, Redacts

if TYPE_CHECKING:
    from typing_extensions import Unpack


# The resource template of stored results, and the start of their URIs.
TEMPLATE = result_template()
ADDRESS = TEMPLATE["uriTemplate"].replace("{id}", "")
# Stands for an SDK's result that must not be shaped: the shortest one of MCP's own.
UNSHAPED: dict[str, Any] = {"resultType": "input_required", "requestState": ""}


class AdapterOptions(TypedDict, total=False):
    """The options of an adapter, beside the policy.

    ``store`` keeps complete results, and a tool ``read_result`` and a resource template read them back. Without this option it
    is the memory of this process, at most 128 MiB, which all its servers share; ``None`` is no store. ``redact``, ``redacts``,
    ``ttl_seconds``, ``timeout_seconds``, ``pause_seconds`` and ``on_store_error`` are those of ``Archive``. ``on_receipt`` is
    called with the receipt of every shaped result; by default the logger ``toolshape`` gets a line, at the level ``INFO`` if
    the result was changed, else ``DEBUG``, and writes it to standard error. ``summarize`` adds a tool ``summarize``, and may be the summarizer to use
    instead of toolshape's own. ``scope`` is the owner of stored results: a name, or a function of the SDK's context; it
    needs a ``cursor_key``. ``authorize`` is asked before anything of a stored result is given: a later page, a part, a
    resource, a summary; with the SDK's context of the call and a tool that returned the result. Anything but ``True``,
    and an exception, refuses with ``FORBIDDEN``; without it, whoever has the handle may read. An option that does not
    exist, or has a value that it does not take, raises ``ToolshapeError``: ``INVALID_CALL``.
    """

    on_receipt: Callable[[Receipt], object]
    store: Store | None
    summarize: bool | Summarizer
    redact: Callable[[str], str | Awaitable[str]] | None
    redacts: Redacts | None
    ttl_seconds: float
    timeout_seconds: float
    pause_seconds: float
    on_store_error: Callable[[Exception], object] | None
    scope: str | Callable[[Any], str | None]
    authorize: Callable[[Any, str], bool | Awaitable[bool]] | None


@dataclass(frozen=True)
class Plan:
    """A tool as clients see it, and the options for its calls."""

    tool: dict[str, Any]
    controls: frozenset[str]
    call: dict[str, Any]

    def own_arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments without those that control shaping."""
        return {name: value for name, value in given.items() if name not in self.controls}


class Answer(Protocol):
    """Answers a call of an added tool, from its arguments, the SDK's context and the client's name."""

    def __call__(
        self, arguments: Mapping[str, Any], context: object, client: str | None = None
    ) -> Awaitable[dict[str, Any]]: ...


@dataclass(frozen=True)
class AddedTool:
    """A tool that is added to the server's own, in the form of ``tools/list``, and the function that answers its calls."""

    tool: dict[str, Any]
    answer: Answer


class Adapter:
    """Shapes the calls of a server's tools."""

    def __init__(self, policy: Shaper | Mapping[str, Any] | None, **options: Unpack[AdapterOptions]) -> None:
        given: Any = {**options}
        summarize = False if given.get("summarize") is None else given["summarize"]
        self._summarizer = summarize if isinstance(summarize, Summarizer) else None
        kind = "a summarizer" if self._summarizer else described({"summarize": summarize})["summarize"]
        core.check_adapter_options(**{**described(given), "summarize": kind})
        self._shaper = policy if isinstance(policy, Shaper) else Shaper(**policy or {})
        self._on_receipt = given.get("on_receipt") or log_receipt
        self._scope: str | Callable[[Any], str | None] | None = given.get("scope")
        self._authorize = given.get("authorize")
        # Whether ``redact`` sees also what passes.
        self._redacts_all = given.get("redacts") == "all"
        if self._scope is not None:
            core.check_scope(self._shaper)
        store = given["store"] if "store" in given else _shared_memory()
        of_adapter = ("on_receipt", "scope", "authorize", "store", "summarize")
        of_archive = {name: value for name, value in given.items() if name not in of_adapter and value is not None}
        self._archive = None if store is None else Archive(self._shaper, store, **of_archive)
        self._plans: dict[str, tuple[Mapping[str, Any], Plan]] = {}
        self._called: dict[str, tuple[tuple[Any, Any], Plan]] = {}
        answers: dict[str, Answer] = {"read_result": self._read, "summarize": self._summarize}
        added = self._shaper.added_tools(self.has_store, bool(summarize))
        self.added = {tool["name"]: AddedTool(tool, answers[tool["name"]]) for tool in added}

    @property
    def has_store(self) -> bool:
        """Whether there is a store, and so resources of its results."""
        return self._archive is not None

    def check_name(self, name: str) -> None:
        """``INVALID_CALL`` for a server's own tool that has the name of one that is added."""
        core.check_tool_name(name, list(self.added))

    def plan(self, tool: Mapping[str, Any]) -> Plan:
        """Plans a tool that is given in the form of ``tools/list``."""
        known = self._plans.get(tool["name"])
        if known is not None and known[0] == tool:
            return known[1]
        plan = _plan(self._shaper.plan(tool, has_store=self.has_store))
        self._plans[tool["name"]] = (tool, plan)
        return plan

    def plan_call(self, name: str, schemas: tuple[Any, Any], describe: Callable[[], Mapping[str, Any]]) -> Plan:
        """The plan for a call of a tool with these input and output schemas; ``describe`` gives it in the form of
        ``tools/list``.

        A call depends on nothing else of the tool, and to compare the schemas takes less time than to describe it.
        """
        plan = self.known_plan(name, schemas)
        if plan is None:
            plan = self.plan(describe())
            # A copy, so that a change in place is noticed.
            self._called[name] = (deepcopy(schemas), plan)
        return plan

    def known_plan(self, name: str, schemas: tuple[Any, Any]) -> Plan | None:
        """What ``plan_call`` returned for a tool, if its schemas are still the same."""
        known = self._called.get(name)
        return known[1] if known is not None and known[0] == schemas else None

    def plan_unlisted(self, name: str) -> Plan:
        """Plans a tool that no list contains: its arguments and its structured content stay its own."""
        return _plan(core.plan_unlisted(self._shaper, name))

    async def run(
        self,
        plan: Plan,
        given: Mapping[str, Any],
        client: str | None,
        context: object,
        work: Callable[[dict[str, Any]], Awaitable[object]],
        origin: Callable[[Exception], BaseException] = lambda error: error,
    ) -> dict[str, Any]:
        """Runs a call and returns its ``CallToolResult``, with the keys of the wire format.

        ``given`` are the arguments as the client sent them. ``work`` receives the tool's own arguments and returns the
        SDK's result of the tool, in the same form. An error that toolshape does not report (see
        ``Shaper.thrown_result``) is raised unchanged. ``origin`` returns the tool's original exception, if the SDK
        wrapped it.
        """
        call = self._call(plan, given, client, context)
        asks_for_part = not plan.controls.isdisjoint(given)
        if asks_for_part:
            answer = self._shaper.check_call(**call)
            if answer is None and self._archive is not None:
                answer = await self._archive.snapshot_result(authorize=self._asking(context), **call)
            if answer is not None:
                return self._told(answer)
        try:
            returned = await work(plan.own_arguments(given))
        except Exception as error:
            shaped = self._shaper.thrown_result(origin(error), said=str(error), **call)
            if shaped is None:
                raise
            return self._told(shaped)
        # What a scope may be is checked with the call.
        is_plain = not asks_for_part and call["scope"] is None and "output_schema" not in call
        if is_plain and not self._redacts_all:
            passed = core.pass_result(self._shaper, returned, call.get("tool"), client)
            if passed is not None:
                return self._told(passed)
        return await self._shape(returned, call)

    def refusal(self, plan: Plan, given: Mapping[str, Any], client: str | None, context: object) -> str | None:
        """Why a call that is to run as a task is refused before: its controls are wrong."""
        if plan.controls.isdisjoint(given):
            return None
        refused = self._shaper.check_call(**self._call(plan, given, client, context))
        return None if refused is None else str(refused.result["content"][0]["text"])

    async def finish(
        self, plan: Plan, given: Mapping[str, Any], client: str | None, context: object, returned: object
    ) -> dict[str, Any]:
        """Shapes the result of a call that ran as a task, not here."""
        return await self._shape(returned, self._call(plan, given, client, context))

    def _call(self, plan: Plan, given: Mapping[str, Any], client: str | None, context: object) -> Any:
        return {**plan.call, "arguments": given, "client": client, "scope": self._scope_of(context)}

    async def _shape(self, returned: object, call: Any) -> dict[str, Any]:
        if self._archive is None:
            return self._told(self._shaper.shape_result(returned, **call))
        return self._told(await self._archive.shape_result(returned, **call))

    def reshape(self, tool: str, returned: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a server behind this one, within the budget here."""
        return self._shaper.shape_result(returned, tool=tool).result

    async def _read(self, arguments: Mapping[str, Any], context: object, client: str | None = None) -> dict[str, Any]:
        assert self._archive is not None
        scope, authorize = self._scope_of(context), self._asking(context)
        return self._answer(await self._archive.read_result(arguments, authorize=authorize, scope=scope, client=client))

    async def _summarize(
        self, arguments: Mapping[str, Any], context: object, client: str | None = None
    ) -> dict[str, Any]:
        scope, archive = self._scope_of(context), self._archive
        of_call: Any = {"tool": "summarize", "arguments": arguments, "scope": scope}
        if archive is None:
            task = self._shaper.to_summarize(None, None, **of_call)
        else:
            task = await archive.to_summarize(arguments, authorize=self._asking(context), scope=scope)
        if isinstance(task, Shaped):
            return self._answer(task)
        summary = task["summary"]
        if self._summarizer is not None:
            summary = {**summary, **await self._summarizer.ask(task, context)}
        if archive is None:
            return self._answer(self._shaper.summarize_text(task["text"], **summary, **of_call))
        return self._answer(await archive.summarize_text(task["text"], summary, **of_call))

    def _answer(self, shaped: Shaped) -> dict[str, Any]:
        self._tell(shaped.receipt)
        return core.answer(shaped)

    async def resource(self, uri: str, context: object) -> dict[str, Any]:
        """The resource of a handle, as ``contents`` of ``resources/read``."""
        assert self._archive is not None
        scope, authorize = self._scope_of(context), self._asking(context)
        return dict(await self._archive.resource(uri, authorize=authorize, scope=scope))

    def _scope_of(self, context: object) -> str | None:
        return self._scope(context) if callable(self._scope) else self._scope

    def _asking(self, context: object) -> Authorize | None:
        """Whether the caller may read what a tool returned, as an archive asks it."""
        authorize = self._authorize
        return None if authorize is None else lambda tool: authorize(context, tool)

    def _told(self, shaped: ShapedResult) -> dict[str, Any]:
        if shaped.receipt is not None:
            self._tell(shaped.receipt)
        return shaped.result

    def _tell(self, receipt: Receipt) -> None:
        # A failing receipt callback must not break the result.
        with suppress(Exception):
            self._on_receipt(receipt)


def _plan(planned: Any) -> Plan:
    return Plan(planned["tool"], frozenset(planned["controls"]), planned["call"])


@cache
def _shared_memory() -> MemoryStore:
    """The store of adapters whose option ``store`` is not given. All of a process share it, because many hosts make a server
    for each session or each request, and a handle must outlive the one that returned it.
    """
    return MemoryStore(**core.default_store_limits())


def on_the_wire(result: Any) -> dict[str, Any]:
    """The SDK's result of a tool, with the keys of a ``CallToolResult``; its blocks stay objects."""
    return {
        "content": result.content,
        "structuredContent": result.structured_content,
        "isError": result.is_error,
        "_meta": result.meta,
    }
