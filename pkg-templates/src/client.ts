import "#core";

export * from "./agents/transport.js";
