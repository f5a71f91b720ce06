import asyncio
import json
import os

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from google.genai import types
from mcp import StdioServerParameters

os.environ["GOOGLE_API_KEY"] = "x"
os.environ["GOOGLE_GEMINI_BASE_URL"] = os.environ["MODEL_URL"]


def toolset(server: dict) -> McpToolset:
    return McpToolset(
        connection_params=StdioConnectionParams(server_params=StdioServerParameters(**server), timeout=60)
    )


async def main() -> None:
    toolsets = [toolset(server) for server in json.loads(os.environ["MCP_SERVERS"]).values()]
    agent = LlmAgent(model="gemini-2.5-pro", name="agent", instruction="go", tools=toolsets)
    runner = InMemoryRunner(agent=agent, app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        if event.is_final_response() and event.content and event.content.parts:
            print(event.content.parts[0].text)
    for each in toolsets:
        await each.close()


asyncio.run(main())
