"""The part of adapters that is the same for every SDK: answer a client's request, with what the server answers. The core
makes the decisions; this code executes them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from . import _toolshape as core
from ._control_flow import is_control_flow, is_protocol_error
from ._error import ToolshapeError
from ._made_shaper import made_shaper
from ._receipt_log import log_receipt
from ._tool_names import ToolNames
from ._toolshape import Shaped, ShapedResult, Shaper
from .archive import Archive, ArchiveOptions, described
from .stores import MemoryStore, Store
from .types import Authorize, Policy, Receipt

if TYPE_CHECKING:
    from typing_extensions import Unpack


# The resource template of stored results, and the start of their URIs.
TEMPLATE = core.call("resultTemplate")
ADDRESS = TEMPLATE["uriTemplate"].replace("{id}", "")
# JSON-RPC's code for wrong parameters.
INVALID_PARAMS = -32602
# The most pages of a list that are read to find a tool.
MOST_PAGES = 100
# The most tasks whose calls are kept. The oldest are dropped, so that tasks that are never fetched do not use memory for ever.
MOST_TASKS = 1000


class AdapterOptions(ArchiveOptions, total=False):
    """The options of an adapter, in addition to the policy and the options of ``Archive``.

    ``store`` keeps complete results, and a tool ``read_result`` and a resource template read them back. Without this option it
    is the memory of this process, at most 128 MiB, which all its servers share; ``None`` means no store. ``on_receipt`` is
    called with the receipt of every shaped result; by default the logger ``toolshape`` gets a line, at the level ``INFO`` if
    the result was changed, else ``DEBUG``, and writes it to standard error. ``on_warning`` is called once with each
    warning, such as one of options for a tool that the server does not have; by default the logger gets it. ``summarize``
    adds a tool ``summarize``. ``scope`` is the owner of stored results: a name, or a function of the SDK's context; it
    needs a ``cursor_key``. ``authorize`` is asked before anything of a stored result is given: a later page, a part, a
    resource, a summary; with the SDK's context of the call and a tool that returned the result. Anything but ``True``,
    and an exception, refuses with ``FORBIDDEN``; without it, whoever has the handle may read. An option that does not
    exist, or has a value that it does not take, raises ``ToolshapeError``: ``INVALID_CALL``.
    """

    on_receipt: Callable[[Receipt], object]
    on_warning: Callable[[str], object] | None
    store: Store | None
    summarize: bool
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


@dataclass(frozen=True)
class Caller:
    """The client's name, the SDK's context of the request, and the request's ``_meta``."""

    client: str | None
    context: object
    # ``_meta`` of the request.
    meta: Mapping[str, Any] | None = None
    # The SDK's session, which is one client's.
    session: object = None


@dataclass(frozen=True)
class PassThrough:
    """An SDK's result that is returned unchanged: a question to the user, or a task, with the task's id."""

    result: Any
    task: str | None = None


class RequestError(Exception):
    """Answers a request with an error of JSON-RPC."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


# Sends a request to the server itself, as a method and its parameters. The result has the keys of the wire format.
Ask = Callable[[str, Mapping[str, Any]], Awaitable[Any]]
# The result of a tool, in the same form, or ``PassThrough``.
Work = Callable[[dict[str, Any]], Awaitable[object]]


@dataclass(frozen=True)
class AddedTool:
    """A tool that is added to the server's own, in the form of ``tools/list``, and the function that answers its calls."""

    tool: dict[str, Any]
    answer: Callable[[Mapping[str, Any], Caller], Awaitable[dict[str, Any]]]


class Adapter:
    """Shapes the calls of a server's tools."""

    def __init__(
        self, policy: Shaper | Policy | None, server: str | None = None, **options: Unpack[AdapterOptions]
    ) -> None:
        given: Any = {**options}
        core.call("checkAdapterOptions", options=described(given))
        self._shaper = made_shaper(policy)
        self._names = ToolNames(policy, given.get("on_warning"))
        self._on_receipt = given.get("on_receipt") or log_receipt
        self._scope: str | Callable[[Any], str | None] | None = given.get("scope")
        self._sessions: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self._authorize = given.get("authorize")
        if self._scope is not None:
            core.call("checkScope", self._shaper)
        store = given["store"] if "store" in given else shared_memory()
        if store is None and isinstance(policy, Mapping) and policy.get("overflow") == "offload":
            message = 'overflow="offload" requires a store, and store is None: leave store out, or set overflow="shape"'
            raise ToolshapeError(message, "INVALID_CALL", "/store")
        of_adapter = ("on_receipt", "on_warning", "scope", "authorize", "store", "summarize")
        of_archive = {name: value for name, value in given.items() if name not in of_adapter and value is not None}
        self._new_archive: Callable[[], Archive | None] = lambda: (
            None if store is None else Archive(self._shaper, store, **of_archive)
        )
        self._summarizes = bool(given.get("summarize"))
        self._plans: dict[str, tuple[Mapping[str, Any], Plan]] = {}
        self._called: dict[str, tuple[tuple[Any, Any], Plan]] = {}
        self._tasks: dict[str, tuple[Plan, Mapping[str, Any]]] = {}
        self._are_names_checked = False
        self._listed: set[str] = set()
        self.serve(server)

    def serve(self, server: str | None) -> None:
        """Begins with the name of a server, which the tool that reads stored results has in its own: before any request."""
        if server is not None:
            self._shaper = core.for_server(self._shaper, server)
        self._archive = self._new_archive()
        answers = {"summarize": self._summarize}
        added = self._shaper.added_tools(self.has_store, self._summarizes)
        self.added = {tool["name"]: AddedTool(tool, answers.get(tool["name"], self._read_result)) for tool in added}

    @property
    def has_store(self) -> bool:
        """Whether there is a store, and so resources of its results."""
        return self._archive is not None

    def leaves_alone(self, tool: str) -> bool:
        """Whether the policy excludes a tool from shaping."""
        return bool(core.call("leavesAlone", self._shaper, name=tool))

    def check_name(self, name: str) -> None:
        """``INVALID_CALL`` for a server's own tool that has the name of one that is added."""
        core.call("checkToolName", name=name, added=list(self.added))

    def check_names(self, tools: Iterable[str]) -> None:
        """Warns of options in the policy for tools that are not among those of the server."""
        self._names.check(tools)

    async def request(self, method: str, params: Mapping[str, Any], ask: Ask, caller: Caller) -> Any:
        """Answers a client's request. Returns the result with the keys of the wire format, or what ``ask`` returned.

        Raises ``RequestError``; ``ToolshapeError`` for a stored result that cannot be read, and for a tool of the server
        with the name of one that is added; and what ``ask`` raises.
        """
        match method:
            case "tools/list":
                return await self._list_tools(params, ask)
            case "tools/call":
                return await self._call_tool(params, ask, caller)
            case "tasks/result":
                return await self.finish_task(params["taskId"], await ask(method, params), caller)
            case "resources/templates/list" if self.has_store and params.get("cursor") is None:
                result = await ask(method, params)
                return {**result, "resourceTemplates": [*result["resourceTemplates"], TEMPLATE]}
            case "resources/read" if self.has_store and params["uri"].startswith(ADDRESS):
                return {"contents": [await self.read_resource(params["uri"], caller)]}
        return await ask(method, params)

    async def _list_tools(self, params: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
        result = await ask("tools/list", params)
        tools = []
        for tool in result["tools"]:
            self.check_name(tool["name"])
            tools.append(self.plan(tool).tool)
            self._listed.add(tool["name"])
        if result.get("nextCursor") is None:
            self.check_names(self._listed)
        # Many hosts read one page: the added tools are at the end of the first.
        if params.get("cursor") is None:
            tools += [added.tool for added in self.added.values()]
        return {**result, "tools": tools}

    async def _call_tool(self, params: Mapping[str, Any], ask: Ask, caller: Caller) -> Any:
        name, given = params["name"], params.get("arguments") or {}
        if name in self.added:
            await self._check_names(name, ask)
            return await self.added[name].answer(given, caller)
        plan = await self._find_plan(name, ask)

        async def work(own: dict[str, Any]) -> object:
            return await ask("tools/call", {**params, "arguments": own})

        if params.get("task") is not None:
            return await self.start_task(plan, given, caller, work)
        return await self.run(plan, given, caller, work)

    async def _find_plan(self, name: str, ask: Ask) -> Plan:
        """A client may call a tool that it has not listed; the tool is then looked up in the list, if there is one."""
        # A failing list must not make the call fail.
        with suppress(Exception):
            await self._read_list(name, ask)
        known = self._plans.get(name)
        return known[1] if known is not None else self.plan_unlisted(name)

    async def _check_names(self, name: str, ask: Ask) -> None:
        """Refuses an added tool if the server has one of its own with that name."""
        if self._are_names_checked:
            return
        try:
            await self._read_list(name, ask)
        except ToolshapeError:
            raise
        except Exception:  # noqa: S110
            # The error of a failing list is reported when the list is requested.
            pass
        self._are_names_checked = True

    async def _read_list(self, name: str, ask: Ask) -> None:
        """Reads the list up to a tool, or all of it."""
        params: dict[str, Any] = {}
        for _ in range(MOST_PAGES):
            if name in self._plans:
                return
            cursor = (await self._list_tools(params, ask)).get("nextCursor")
            if cursor is None:
                return
            params = {"cursor": cursor}

    def forget_tools(self) -> None:
        """Drops the plans of listed tools, because the list changed."""
        self._plans.clear()
        self._are_names_checked = False

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
        known = self._called.get(name)
        if known is not None and known[0] == schemas:
            return known[1]
        plan = self.plan(describe())
        # A copy, so that a change in place is noticed.
        self._called[name] = (deepcopy(schemas), plan)
        return plan

    def plan_unlisted(self, name: str) -> Plan:
        """Plans a tool that no list contains: its arguments and its structured content stay its own."""
        return _plan(core.call("planUnlisted", self._shaper, name=name))

    async def run(
        self,
        plan: Plan,
        given: Mapping[str, Any],
        caller: Caller,
        work: Work,
    ) -> Any:
        """Runs a call and returns its ``CallToolResult``, with the keys of the wire format, or a ``PassThrough``.

        ``given`` are the arguments as the client sent them. ``work`` receives the tool's own arguments and returns the
        SDK's result of the tool, in the same form. An error that ``passes``, or that toolshape does not report (see
        ``Shaper.thrown_result``), is raised unchanged.
        """
        call = self._call(plan, given, caller)
        asks_for_part = not plan.controls.isdisjoint(given)
        if asks_for_part:
            answer = self._shaper.check_call(**call)
            if answer is None and self._archive is not None:
                answer = await self._archive.snapshot_result(authorize=self._asking(caller.context), **call)
            if answer is not None:
                return self._reported(answer, caller)
        try:
            returned = await work(plan.own_arguments(given))
        except Exception as error:
            if passes(error):
                raise
            shaped = await self._thrown(_original(error), str(error), call)
            if shaped is None:
                raise
            return self._reported(shaped, caller)
        if isinstance(returned, PassThrough):
            return returned
        # What a scope may be is checked with the call.
        is_plain = not asks_for_part and call["scope"] is None and "output_schema" not in call
        if is_plain and not (self._archive is not None and self._archive.redacts_all):
            passed = core.pass_result(self._shaper, returned, call.get("tool"), caller.client)
            if passed is not None:
                return self._reported(passed, caller)
        return await self._shape(returned, call, caller)

    async def start_task(self, plan: Plan, given: Mapping[str, Any], caller: Caller, work: Work) -> Any:
        """Runs a call that is to be answered by a task; ``RequestError`` if its controls are wrong."""
        call = self._call(plan, given, caller)
        if not plan.controls.isdisjoint(given):
            refused = self._shaper.check_call(**call)
            if refused is not None:
                raise RequestError(INVALID_PARAMS, refused.result["content"][0]["text"])
        answer = await work(plan.own_arguments(given))
        if not isinstance(answer, PassThrough):
            # The tool answered at once.
            return await self._shape(answer, call, caller)
        if answer.task is not None:
            self._tasks[answer.task] = plan, given
            while len(self._tasks) > MOST_TASKS:
                del self._tasks[next(iter(self._tasks))]
        return answer

    async def finish_task(self, task: str, returned: object, caller: Caller) -> Any:
        """Shapes the result of a task, by the arguments of its call, if it is a tool's."""
        if isinstance(returned, PassThrough):
            return returned
        # Another server may have started it.
        plan, given = self._tasks.get(task) or (self.plan_unlisted(""), {})
        return await self._shape(returned, self._call(plan, given, caller), caller)

    def _call(self, plan: Plan, given: Mapping[str, Any], caller: Caller) -> Any:
        return {**plan.call, "arguments": given, "client": caller.client, "meta": caller.meta, **self._owner(caller)}

    async def _shape(self, returned: object, call: Any, caller: Caller) -> dict[str, Any]:
        if self._archive is None:
            return self._reported(self._shaper.shape_result(returned, **call), caller)
        return self._reported(await self._archive.shape_result(returned, **call), caller)

    async def _thrown(self, error: BaseException, said: str, call: Any) -> ShapedResult | None:
        if self._archive is None:
            return self._shaper.thrown_result(error, said=said, **call)
        return await self._archive.thrown_result(error, said=said, **call)

    def reshape(self, tool: str, returned: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a server behind this one, within the budget here."""
        return self._shaper.shape_result(returned, tool=tool).result

    async def _read_result(self, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        assert self._archive is not None
        authorize = self._asking(caller.context)
        read = self._archive.read_result(arguments, authorize=authorize, client=caller.client, **self._owner(caller))
        return self._answer(await read, caller, caller.client)

    async def _summarize(self, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        owner, archive = self._owner(caller), self._archive
        of_call: Any = {"tool": "summarize", "arguments": arguments, **owner}
        if archive is None:
            task = self._shaper.to_summarize(None, None, **of_call)
        else:
            task = await archive.to_summarize(arguments, authorize=self._asking(caller.context), **owner)
        if isinstance(task, Shaped):
            return self._answer(task, caller)
        summary = task["summary"]
        if archive is None:
            return self._answer(self._shaper.summarize_text(task["text"], **summary, **of_call), caller)
        return self._answer(await archive.summarize_text(task["text"], summary, **of_call), caller)

    def _answer(self, shaped: Shaped, caller: Caller, client: str | None = None) -> dict[str, Any]:
        self._report(shaped.receipt, caller)
        return core.answer(shaped, client)

    async def read_resource(self, uri: str, caller: Caller) -> dict[str, Any]:
        """The resource of a handle, as one of the ``contents`` of ``resources/read``."""
        assert self._archive is not None
        authorize = self._asking(caller.context)
        return dict(await self._archive.resource(uri, authorize=authorize, **self._owner(caller)))

    def _owner(self, caller: Caller) -> Any:
        """Whose results are stored: a scope's, and the conversation in which they are listed."""
        scope = self._scope(caller.context) if callable(self._scope) else self._scope
        known = caller.session is not None
        return {"scope": scope, "session": self._sessions.setdefault(caller.session, uuid4().hex) if known else None}

    def _asking(self, context: object) -> Authorize | None:
        """Whether the caller may read what a tool returned, as an archive asks it."""
        authorize = self._authorize
        return None if authorize is None else lambda tool: authorize(context, tool)

    def _reported(self, shaped: ShapedResult, caller: Caller) -> dict[str, Any]:
        if shaped.receipt is not None:
            self._report(shaped.receipt, caller)
        return shaped.result

    def _report(self, receipt: Receipt, caller: Caller) -> None:
        self._names.check_fields(receipt)
        of_caller = {"client": caller.client, "request_id": _request_id(caller.context)}
        known: Any = {name: value for name, value in of_caller.items() if value is not None}
        # A failing receipt callback must not break the result.
        with suppress(Exception):
            self._on_receipt({**receipt, **known})


def passes(error: Exception) -> bool:
    """Whether an exception is not a failure of a tool: it controls a framework, or the SDK answers the request with it."""
    return is_control_flow(_original(error)) or is_protocol_error(error)


def _original(error: Exception) -> BaseException:
    """The tool's original exception, if the SDK wrapped it; the wrapper's message may mask it."""
    is_wrapper = str(error).startswith(("Error executing tool ", "Error calling tool "))
    return error.__cause__ if is_wrapper and error.__cause__ is not None else error


def _request_id(context: Any) -> str | int | None:
    """The id of a request, where the SDKs' contexts have it."""
    # Outside a request, some raise.
    with suppress(Exception):
        found = getattr(getattr(context, "fastmcp_context", None) or context, "request_id", None)
        return found if isinstance(found, (str, int)) else None
    return None


def _plan(planned: Any) -> Plan:
    return Plan(planned["tool"], frozenset(planned["controls"]), planned["call"])


@cache
def shared_memory() -> MemoryStore:
    """The default store of adapters. All of a process share it, because many hosts create a server for each session or
    request, and a handle must outlive the server that returned it.
    """
    return MemoryStore()


def meta_of(params: Any) -> dict[str, Any] | None:
    """``_meta`` of a request, from its parameters or from what an SDK's context has of them."""
    meta: Any = getattr(params, "meta", None)
    if hasattr(meta, "model_dump"):
        meta = meta.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dict(meta) if meta else None


def on_the_wire(result: Any) -> dict[str, Any]:
    """The SDK's result of a tool, with the keys of a ``CallToolResult``; its blocks stay objects."""
    return {
        "content": result.content,
        "structuredContent": result.structured_content,
        "isError": result.is_error,
        "_meta": result.meta,
    }
