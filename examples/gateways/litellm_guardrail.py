"""A guardrail of LiteLLM's proxy: the texts of MCP tools' results fit a model's context."""

from typing import Any

from litellm.integrations.custom_guardrail import CustomGuardrail
from toolshape import Archive, Shaper
from toolshape.stores import FileStore


class Toolshape(CustomGuardrail):
    """`store` is the folder that `read_result.py` reads."""

    def __init__(self, store: str, max_tokens: int = 2000, **options: Any) -> None:
        super().__init__(**options)
        self.archive = Archive(store=FileStore(store), shaper=Shaper(max_tokens=max_tokens, controls="result"))

    async def apply_guardrail(self, inputs: Any, request_data: dict, input_type: str, logging_obj: Any = None) -> Any:
        return {**inputs, "texts": [await self.fit(text) for text in inputs.get("texts", [])]}

    async def fit(self, text: str) -> str:
        shaped = await self.archive.shape_result({"content": [{"type": "text", "text": text}]})
        return str(shaped.result["content"][0]["text"])
