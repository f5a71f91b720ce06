import "#core";

export * from "./agents/openai_agents.js";
