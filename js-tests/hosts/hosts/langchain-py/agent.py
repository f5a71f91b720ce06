import asyncio
import json
import os

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


async def main() -> None:
    servers = json.loads(os.environ["MCP_SERVERS"])
    client = MultiServerMCPClient({name: {"transport": "stdio", **server} for name, server in servers.items()})
    model = ChatOpenAI(model="gpt-4.1", api_key="x", base_url=os.environ["MODEL_URL"] + "/v1")
    # It starts a process of the server for each call.
    agent = create_agent(model, await client.get_tools())
    result = await agent.ainvoke({"messages": [("user", "go")]}, {"recursion_limit": 200})
    print(result["messages"][-1].content)


asyncio.run(main())
