"""A plug-in of ContextForge: the results of all tools fit a model's context."""

from cpex.framework import Plugin, PluginConfig, PluginContext, ToolPostInvokePayload, ToolPostInvokeResult
from toolshape import Archive, Shaper
from toolshape.stores import FileStore


class Toolshape(Plugin):
    """Its `config` has `store`, the folder that `read_result.py` reads, and any options of a policy."""

    def __init__(self, config: PluginConfig) -> None:
        super().__init__(config)
        policy = dict(config.config or {})
        self.archive = Archive(store=FileStore(policy.pop("store")), shaper=Shaper(**policy, controls="result"))

    async def tool_post_invoke(self, payload: ToolPostInvokePayload, context: PluginContext) -> ToolPostInvokeResult:
        shaped = await self.archive.shape_result(payload.result, tool=payload.name)
        return ToolPostInvokeResult(modified_payload=ToolPostInvokePayload(name=payload.name, result=shaped.result))
