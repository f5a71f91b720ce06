import "#core";

export * from "./agents/claude_agent_sdk.js";
