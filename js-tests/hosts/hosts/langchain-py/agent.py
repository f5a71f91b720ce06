import asyncio
import json
import os
from contextlib import AsyncExitStack

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI


async def main() -> None:
    servers = json.loads(os.environ["MCP_SERVERS"])
    client = MultiServerMCPClient({name: {"transport": "stdio", **server} for name, server in servers.items()})
    model = ChatOpenAI(model="gpt-4.1", api_key="x", base_url=os.environ["MODEL_URL"] + "/v1")
    async with AsyncExitStack() as stack:
        tools = []
        for name in servers:
            # Without a session, each call starts a process of the server.
            tools += await load_mcp_tools(await stack.enter_async_context(client.session(name)))
        agent = create_agent(model, tools)
        result = await agent.ainvoke({"messages": [("user", "go")]}, {"recursion_limit": 200})
        print(result["messages"][-1].content)


asyncio.run(main())
