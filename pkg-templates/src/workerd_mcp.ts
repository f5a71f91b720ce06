import "./workerd.js";

export * from "./mcp/install.js";
