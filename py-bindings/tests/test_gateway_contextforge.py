"""The plug-in of `examples/gateways` in ContextForge's own plug-in manager, and the server that reads what it kept."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcpgateway")

from cpex.framework import GlobalContext, PluginManager, ToolHookType, ToolPostInvokePayload
from gateway_results import EXAMPLES, read
from mcpgateway.common.models import TextContent, ToolResult

ROWS = [{"id": row, "name": f"name {row}"} for row in range(400)]


@pytest.fixture
def shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the gateway's service does with a tool's result."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    config = tmp_path / "plugins.yaml"
    plugin = {
        "name": "toolshape",
        "kind": "contextforge.Toolshape",
        "hooks": ["tool_post_invoke"],
        "mode": "sequential",
    }
    plugin["config"] = {"store": str(tmp_path / "results"), "max_tokens": 500}
    config.write_text(json.dumps({"plugins": [plugin], "plugin_dirs": [], "plugin_settings": {}}))

    async def hooked(result: ToolResult) -> ToolResult:
        manager = PluginManager(str(config))
        await manager.initialize()
        payload = ToolPostInvokePayload(name="list", result=result.model_dump(by_alias=True))
        done, _ = await manager.invoke_hook(
            ToolHookType.TOOL_POST_INVOKE, payload=payload, global_context=GlobalContext(request_id="1")
        )
        await manager.shutdown()
        changed = done.modified_payload
        return result if changed is None else ToolResult.model_validate(changed.result)

    return lambda result: asyncio.run(hooked(result))


def test_a_result_fits_and_is_read_back(shape: Any, tmp_path: Path) -> None:
    result = ToolResult(content=[TextContent(type="text", text=json.dumps(ROWS))])
    shaped = shape(result)
    text = shaped.content[0].text
    assert not shaped.is_error
    assert len(text) < 2000
    handle = re.search(r"toolshape://result/([a-z]{16})", text)
    assert handle is not None, text
    assert "name 399" in asyncio.run(read(tmp_path / "results", handle[1]))


def test_structured_results_fit_too(shape: Any) -> None:
    own = {"rows": ROWS}
    result = ToolResult(content=[TextContent(type="text", text=json.dumps(own))], structured_content=own)
    assert len(shape(result).model_dump_json()) < 5000


def test_small_results_and_errors_pass(shape: Any) -> None:
    for result in (
        ToolResult(content=[TextContent(type="text", text="few words")]),
        ToolResult(content=[TextContent(type="text", text="it failed")], is_error=True),
    ):
        assert shape(result) == result
