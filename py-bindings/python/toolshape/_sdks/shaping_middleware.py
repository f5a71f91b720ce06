"""The middleware that shapes the tools of a ``fastmcp`` server, as far as it is the same in each generation of ``fastmcp``."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

from fastmcp import FastMCP
from fastmcp.exceptions import ResourceError
from fastmcp.resources.template import ResourceTemplate
from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.server.middleware.tool_injection import ToolInjectionMiddleware

from .._error import ToolshapeError
from .._toolshape import Shaper
from .._toolshape import call as call_core
from ..adapter import ADDRESS, TEMPLATE, Adapter, AdapterOptions, AddedTool, Caller, PassThrough, Plan, meta_of
from ..types import Policy
from .conversation import conversation
from .returned import CALL

if TYPE_CHECKING:
    from fastmcp.tools import Tool, ToolResult
    from typing_extensions import Unpack

Server = FastMCP[Any]
T = TypeVar("T", bound="Tool")
# The server that the client calls: what is mounted on it names the same tool for reading stored results.
CALLED: ContextVar[Server | None] = ContextVar("toolshape_called", default=None)
# The name of a server that has none of its own: each process has another.
GENERATED_NAME = re.compile("FastMCP-[0-9a-f]+")
CONTROLS = frozenset(call_core("controlArguments"))


class Generation:
    """What differs between generations of ``fastmcp``."""

    def added_tool(self, tool: Mapping[str, Any]) -> Tool:
        """A tool that toolshape adds, as ``fastmcp`` lists it. The middleware answers its calls."""
        raise NotImplementedError

    def is_added(self, tool: Tool, added: Mapping[str, AddedTool]) -> bool:
        """Whether a tool of the list is one that toolshape added, here or on a mounted server."""
        raise NotImplementedError

    def server(self, context: MiddlewareContext[Any], layer: ShapingMiddleware) -> Server | None:
        """The server whose middleware is called."""
        return context.fastmcp_context.fastmcp if context.fastmcp_context else None

    def prepare(self, server: Server, layer: ShapingMiddleware) -> None:
        """What a server needs before its tools are listed or called."""

    def described(self, tool: Tool) -> dict[str, Any]:
        """A tool in the form of ``tools/list``."""
        return dict(tool.to_mcp_tool().model_dump(mode="json", by_alias=True, exclude_none=True))

    async def tool(self, server: Server, name: str) -> Tool | None:
        """The tool that a server lists by a name."""
        return await server.get_tool(name)

    def looked_up(self, server: Server) -> AbstractContextManager[dict[str, Tool]] | None:
        """The tools that a server looks up in a call, by name; ``None`` if that cannot be known."""
        return None

    async def own_tool(self, server: Server, name: str) -> Tool | None:
        """The server's own tool of that name, not an added one."""
        raise NotImplementedError

    async def origin(self, server: Server, tool: Tool) -> tuple[Server, str] | None:
        """The mounted server that a tool comes from, and the tool's name there; ``None`` for a tool of the server's own."""
        raise NotImplementedError

    async def tool_of(self, server: Server, name: str) -> Tool | None:
        """A tool of a mounted server."""
        raise NotImplementedError

    def mounted(self, server: Server) -> Iterator[Server]:
        """The servers that are mounted on a server, and those that are mounted on them."""
        raise NotImplementedError

    def on_the_wire(self, result: Any, tool: Tool) -> dict[str, Any] | None:
        """What a tool returned, with the keys of a ``CallToolResult``; ``None`` for what must not be shaped."""
        raise NotImplementedError

    def result(self, shaped: Mapping[str, Any]) -> ToolResult:
        """A ``CallToolResult`` as ``fastmcp`` has it."""
        raise NotImplementedError

    def resource(self, text: str, kind: str) -> Any:
        """The result of reading a resource."""
        raise NotImplementedError

    def refusal(self, error: ToolshapeError) -> Exception:
        """An error whose message clients get."""
        return error

    def client(self, parameters: Any) -> str:
        """The client's name, from what it sent at the start."""
        return str(parameters.clientInfo.name)


class ShapingMiddleware(ToolInjectionMiddleware):
    """Shapes the results of every tool.

    ``policy`` is a ``Shaper``, or its options as a dict; ``options`` are those of ``AdapterOptions``. Add it inside
    middleware that handles errors, and outside middleware that caches, so that the tool's own result is cached. A server
    with a tool of its own that has the name of one that is added, or with this middleware twice, is refused, as soon as its
    tools are listed or called.

    The tool that reads stored results has the name of the server, which is known at its first request.

    A server that is mounted may have this middleware too: what it shaped passes if it fits, its arguments stay those of its
    tools, and the parent's ``read_result`` reads what it stored.
    """

    _sdk: Generation

    def __init__(self, policy: Shaper | Policy | None = None, **options: Unpack[AdapterOptions]) -> None:
        self.adapter = Adapter(policy, **options)
        self._is_named = False
        self._add()

    def _add(self) -> None:
        self.own = [self._sdk.added_tool(added.tool) for added in self.adapter.added.values()]
        super().__init__(self.own)

    @contextmanager
    def _serving(self, server: Server | None) -> Iterator[None]:
        """A request to a server, whose name is known with the first."""
        called = CALLED.get() or server
        if not self._is_named and called is not None:
            self._is_named = True
            if not GENERATED_NAME.fullmatch(called.name):
                self.adapter.serve(called.name)
                self._add()
        token = CALLED.set(called)
        try:
            yield
        finally:
            CALLED.reset(token)

    async def on_list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        server = self._sdk.server(context, self)
        with self._serving(server):
            if server:
                await self._check(server)
                self._sdk.prepare(server, self)
            listed = await call_next(context)
        tools = [tool for tool in listed if not self._sdk.is_added(tool, self.adapter.added)]
        self.adapter.check_names(self._sdk.described(tool)["name"] for tool in tools)
        # Many hosts read one page of a list: the added tools are on the first.
        return [*self.own, *(_shown(tool, self.adapter.plan(self._sdk.described(tool))) for tool in tools)]

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, ToolResult]) -> ToolResult:
        server = self._sdk.server(context, self)
        call = CALL.set((self.adapter, context.message.name))
        try:
            with self._serving(server):
                return await self._shaped_call(server, context, call_next)
        finally:
            CALL.reset(call)

    async def _shaped_call(
        self, server: Server | None, context: MiddlewareContext[Any], call_next: CallNext[Any, ToolResult]
    ) -> ToolResult:
        name, given = context.message.name, context.message.arguments or {}
        if server:
            await self._check(server, name)
            self._sdk.prepare(server, self)
        if name in self.adapter.added:
            return self._sdk.result(await self._answer(name, given, context, server))
        if server is None:
            return await call_next(context)
        tool, call = await self._found(server, context, call_next)
        if tool is None:
            return await call(given)
        found = tool

        async def work(own: dict[str, Any]) -> object:
            result = await call(own)
            wire = self._sdk.on_the_wire(result, found)
            return PassThrough(result) if wire is None else wire

        plan = await self.planned(server, tool)
        shaped = await self.adapter.run(plan, given, self._caller(context), work)
        return shaped.result if isinstance(shaped, PassThrough) else self._sdk.result(shaped)

    async def _found(
        self, server: Server, context: MiddlewareContext[Any], call_next: CallNext[Any, ToolResult]
    ) -> tuple[Tool | None, Callable[[dict[str, Any]], Awaitable[ToolResult]]]:
        """The tool of a call, and what calls it with its own arguments."""
        name, given = context.message.name, context.message.arguments or {}
        noting = self._sdk.looked_up(server) if CONTROLS.isdisjoint(given) else None
        if noting is None:

            async def call(own: dict[str, Any]) -> ToolResult:
                message = context.message.model_copy(update={"arguments": own})
                return await call_next(context.copy(message=message))

            return await self._sdk.tool(server, name), call
        # All arguments are the tool's own, whichever it is: so it is called first, and its server looks it up for that.
        with noting as looked_up:
            outcome = await _settled(call_next(context))

        async def called(own: dict[str, Any]) -> ToolResult:
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        return looked_up.get(name) or await self._sdk.tool(server, name), called

    async def planned(self, server: Server, tool: Tool) -> Plan:
        """How a tool of a server is handled."""
        listed = await self._as_listed(server, tool)
        schemas = (listed.parameters, listed.output_schema)
        return self.adapter.plan_call(listed.name, schemas, lambda: self._sdk.described(listed))

    async def _check(self, server: Server, *names: str) -> None:
        """Refuses a server that is shaped twice, and a tool of its own that has the name of one that is added."""
        try:
            await self._check_layers(server, names)
        except ToolshapeError as error:
            raise self._sdk.refusal(error) from error

    async def _check_layers(self, server: Server, names: Sequence[str]) -> None:
        if len(layers(server)) > 1:
            message = "the server is shaped twice: add one ShapingMiddleware with the whole policy"
            raise ToolshapeError(message, "INVALID_CALL")
        for name in self.adapter.added.keys() & (names or self.adapter.added.keys()):
            # What the server itself returns for the name is the tool that is added.
            own = await self._sdk.own_tool(server, name)
            if own is not None and not self._sdk.is_added(own, self.adapter.added):
                self.adapter.check_name(name)

    async def _answer(
        self, name: str, given: Mapping[str, Any], context: MiddlewareContext[Any], server: Server | None
    ) -> dict[str, Any]:
        """The answer of a tool that is added: about what is stored here, or else by a server that is mounted."""
        caller = self._caller(context)
        answer = await self.adapter.added[name].answer(given, caller)
        if server is None or not _is_missing(answer):
            return answer
        for inner in self._shaping(server):
            if name in inner.adapter.added:
                found = await inner.adapter.added[name].answer(given, caller)
                if not _is_missing(found):
                    return self.adapter.reshape(name, found)
        return answer

    async def on_list_resource_templates(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[ResourceTemplate]]
    ) -> Sequence[ResourceTemplate]:
        templates = list(await call_next(context))
        if self.adapter.has_store:
            templates.append(
                ResourceTemplate(
                    uri_template=TEMPLATE["uriTemplate"],
                    name=TEMPLATE["name"],
                    title=TEMPLATE["title"],
                    description=TEMPLATE["description"],
                    mime_type=TEMPLATE["mimeType"],
                    parameters={"type": "object", "properties": {"id": {"type": "string"}}},
                )
            )
        return templates

    async def on_read_resource(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        uri = str(context.message.uri)
        if not self.adapter.has_store or not uri.startswith(ADDRESS):
            return await call_next(context)
        server = self._sdk.server(context, self)
        adapters = [self.adapter, *(inner.adapter for inner in (self._shaping(server) if server else ()))]
        for adapter in adapters:
            try:
                resource = await adapter.read_resource(uri, self._caller(context))
                break
            except ToolshapeError as error:
                if error.code != "NOT_FOUND" or adapter is adapters[-1]:
                    raise ResourceError(str(error)) from error
        return self._sdk.resource(resource["text"], resource["mimeType"])

    def _shaping(self, server: Server) -> Iterator[ShapingMiddleware]:
        """The middleware that shapes what is mounted on a server, if it stores results."""
        for inner in self._sdk.mounted(server):
            yield from (layer for layer in layers(inner) if layer.adapter.has_store)

    async def _as_listed(self, server: Server, tool: Tool) -> Tool:
        """The tool with the arguments that its own server takes, and the schema that it lists, if that shapes its tools."""
        place = await self._sdk.origin(server, tool)
        if place is None:
            return tool
        mounted, name = place
        inner = await self._sdk.tool_of(mounted, name)
        if inner is None:
            return tool
        inner = await self._as_listed(mounted, inner)
        for layer in layers(mounted):
            if name not in layer.adapter.added:
                inner = _taking(inner, layer.adapter.plan(self._sdk.described(inner)))
        return tool.model_copy(update={"parameters": inner.parameters, "output_schema": inner.output_schema})

    def _caller(self, context: MiddlewareContext[Any]) -> Caller:
        request = context.fastmcp_context and context.fastmcp_context.request_context
        parameters = request and request.session.client_params
        client = self._sdk.client(parameters) if parameters else None
        return Caller(client, context, meta_of(request), conversation(request))


def layers(server: Server) -> list[ShapingMiddleware]:
    """The middleware of a server that shapes its tools."""
    return [middleware for middleware in server.middleware if isinstance(middleware, ShapingMiddleware)]


async def _settled(call: Awaitable[ToolResult]) -> ToolResult | Exception:
    try:
        return await call
    except Exception as error:
        return error


def _shown(tool: T, plan: Plan) -> T:
    return tool.model_copy(
        update={"parameters": plan.tool["inputSchema"], "output_schema": plan.tool.get("outputSchema")}
    )


def _taking(tool: T, plan: Plan) -> T:
    """The tool as a plan shows it, with the arguments that the plan takes, whether it shows them or not."""
    shown = _shown(tool, plan)
    properties = {**dict.fromkeys(sorted(plan.controls), {}), **shown.parameters.get("properties", {})}
    return shown.model_copy(update={"parameters": {**shown.parameters, "properties": properties}})


def _is_missing(answer: Mapping[str, Any]) -> bool:
    """Whether an answer says that there is no such stored result, or that the cursor is another server's."""
    missing = ('{"error":"NOT_FOUND"', '{"error":"INVALID_CURSOR"')
    return bool(answer.get("isError")) and answer["content"][0]["text"].startswith(missing)


def unwrapped(shaped: Mapping[str, Any]) -> Mapping[str, Any]:
    """A result without FastMCP's mark that it wrapped the tool's value, if that was replaced: clients would unwrap the
    replacement."""
    meta = shaped.get("_meta") or {}
    mark = meta.get("fastmcp")
    if (
        not isinstance(mark, dict)
        or "wrap_result" not in mark
        or set(shaped.get("structuredContent") or ()) == {"result"}
    ):
        return shaped
    rest = {name: value for name, value in mark.items() if name != "wrap_result"}
    others = {name: value for name, value in meta.items() if name != "fastmcp"}
    return {**shaped, "_meta": {**others, "fastmcp": rest} if rest else others}
