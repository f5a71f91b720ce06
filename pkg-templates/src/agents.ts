import "#core";

export * from "./agents/harness.js";
