"""A server on Python's SDK: it counts with progress, and asks its client for what only a client has."""

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("own", log_level="CRITICAL")


class Person(BaseModel):
    name: str


class Row(BaseModel):
    id: int
    name: str


@server.tool()
async def count_slowly(to: int, ctx: Context) -> str:
    for number in range(to):
        await ctx.report_progress(number + 1, to, f"at {number + 1}")
    return f"counted to {to}"


@server.tool()
async def ask_person(ctx: Context) -> str:
    answer = await ctx.elicit("Who are you?", Person)
    return f"{answer.action}: {answer.data.name if answer.action == 'accept' else ''}"


@server.tool()
async def ask_model(ctx: Context) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text="What?"))
    answer = await ctx.session.create_message([message], max_tokens=20)
    return f"{answer.model}: {answer.content.text}"


@server.tool()
async def list_roots(ctx: Context) -> list[str]:
    return [str(root.uri) for root in (await ctx.session.list_roots()).roots]


@server.tool()
async def who(ctx: Context) -> str:
    return ctx.session.client_params.client_info.name


@server.tool()
async def say(text: str, ctx: Context) -> str:
    await ctx.info(text)
    return "said"


@server.tool()
def rows(count: int) -> list[Row]:
    return [Row(id=9007199254740993 + at, name=f"row {at}") for at in range(count)]


@server.tool()
async def grow(ctx: Context) -> str:
    server.add_tool(lambda: "is new", name="grown", description="is new")
    await ctx.session.send_tool_list_changed()
    return "grew"


if __name__ == "__main__":
    server.run("stdio")
