import json
import os
from contextlib import ExitStack

from mcp import StdioServerParameters, stdio_client
from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools.mcp import MCPClient


def client(server: dict) -> MCPClient:
    return MCPClient(lambda: stdio_client(StdioServerParameters(**server)))


with ExitStack() as stack:
    clients = [stack.enter_context(client(server)) for server in json.loads(os.environ["MCP_SERVERS"]).values()]
    tools = [tool for each in clients for tool in each.list_tools_sync()]
    model = OpenAIModel(client_args={"api_key": "x", "base_url": os.environ["MODEL_URL"] + "/v1"}, model_id="gpt-4.1")
    print(Agent(model=model, tools=tools, callback_handler=None)("go"))
