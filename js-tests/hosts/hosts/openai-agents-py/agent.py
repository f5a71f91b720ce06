import asyncio
import json
import os
from contextlib import AsyncExitStack

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI

set_tracing_disabled(True)


async def main() -> None:
    async with AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(MCPServerStdio(params=server, client_session_timeout_seconds=60))
            for server in json.loads(os.environ["MCP_SERVERS"]).values()
        ]
        client = AsyncOpenAI(api_key="x", base_url=os.environ["MODEL_URL"] + "/v1")
        model = OpenAIResponsesModel(model="gpt-5.1", openai_client=client)
        agent = Agent(name="agent", instructions="go", mcp_servers=servers, model=model)
        print((await Runner.run(agent, "go", max_turns=60)).final_output)


asyncio.run(main())
