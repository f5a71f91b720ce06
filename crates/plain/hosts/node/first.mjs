import { Toolshape } from "./host.mjs";

const toolshape = new Toolshape(process.argv[2]);
const shaper = toolshape.call("shaper", { policy: { maxTokens: 300 } }).result;
const rows = JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id })));
const { result, parts } = toolshape.call("shapeJson", { shaper, text: 1, call: { tool: "list_ids" } }, rows);
console.log(result.text === null ? rows : Buffer.from(parts[result.text]).toString());
