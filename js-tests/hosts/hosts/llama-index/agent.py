import asyncio
import json
import os

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


async def main() -> None:
    tools = []
    for server in json.loads(os.environ["MCP_SERVERS"]).values():
        # It starts a process of the server for each call.
        client = BasicMCPClient(server["command"], args=server["args"], timeout=60)
        tools += await McpToolSpec(client=client).to_tool_list_async()
    model = OpenAILike(
        model="fake",
        api_base=os.environ["MODEL_URL"] + "/v1",
        api_key="x",
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=4_000_000,
    )
    print(await FunctionAgent(tools=tools, llm=model, timeout=220).run("go", max_iterations=80))


asyncio.run(main())
