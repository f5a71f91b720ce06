"""The guardrail of `examples/gateways`, applied to results of MCP tools by the code with which LiteLLM's proxy does it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

# Prices of models are not needed, and not fetched.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
pytest.importorskip("litellm")

from gateway_results import EXAMPLES, read
from litellm.llms import load_guardrail_translation_mappings
from litellm.types.guardrails import GuardrailEventHooks
from litellm.types.utils import CallTypes
from mcp.types import CallToolResult, TextContent

sys.path.insert(0, str(EXAMPLES))
from litellm_guardrail import Toolshape

ROWS = [{"id": row, "name": f"name {row}"} for row in range(400)]


@pytest.fixture
def shape(tmp_path: Path) -> Any:
    """What the proxy does with a tool's result."""
    guardrail = Toolshape(
        store=str(tmp_path), max_tokens=500, guardrail_name="toolshape", event_hook="post_mcp_call", default_on=True
    )
    assert guardrail.should_run_guardrail(data={"metadata": {}}, event_type=GuardrailEventHooks.post_mcp_call) is True
    handler = load_guardrail_translation_mappings()[CallTypes.call_mcp_tool]()
    return lambda result: asyncio.run(handler.process_output_response(result, guardrail))


def test_a_result_fits_and_is_read_back(shape: Any, tmp_path: Path) -> None:
    shaped = shape(CallToolResult(content=[TextContent(type="text", text=json.dumps(ROWS))]))
    text = shaped.content[0].text
    assert len(text) < 2000
    handle = re.search(r"toolshape://result/([a-z]{16})", text)
    assert handle is not None, text
    assert "name 399" in asyncio.run(read(tmp_path, handle[1]))


def test_small_results_pass(shape: Any) -> None:
    result = CallToolResult(content=[TextContent(type="text", text="few words")], structuredContent={"n": [1, "two"]})
    before = result.model_copy(deep=True)
    assert shape(result) == before
