import "#core";

export * from "./agents/ai_sdk.js";
