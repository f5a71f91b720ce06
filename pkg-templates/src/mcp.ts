import "./index.js";

export * from "./mcp/install.js";
