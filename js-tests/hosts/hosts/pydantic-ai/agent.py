import asyncio
import json
import os

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits


async def main() -> None:
    servers = json.loads(os.environ["MCP_SERVERS"]).values()
    provider = OpenAIProvider(base_url=os.environ["MODEL_URL"] + "/v1", api_key="x")
    toolsets = [MCPToolset(StdioTransport(**server)) for server in servers]
    async with Agent(OpenAIChatModel("gpt-4.1", provider=provider), toolsets=toolsets) as agent:
        print((await agent.run("go", usage_limits=UsageLimits(request_limit=200))).output)


asyncio.run(main())
