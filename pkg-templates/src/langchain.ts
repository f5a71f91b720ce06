import "#core";

export * from "./agents/langchain.js";
