// What the adapter adds to a server, taken away again; what is left is to be what the server sends without it.

import assert from "node:assert/strict";
import { countTokens } from "toolshape";

export const BUDGET = 2000;
const RECEIPT = "toolshape/receipt";
const CONTROLS = ["page", "pageSize", "cursor", "fields"];

/** A result as the server meant it, and the receipt. */
export function reported(result) {
  const { [RECEIPT]: receipt, ...meta } = result._meta ?? {};
  const { _meta, ...rest } = result;
  return { own: { ...(Object.keys(meta).length > 0 && { _meta: meta }), ...rest }, receipt };
}

/** A tool as the server lists it, without the arguments and the schema that shaping adds. */
export function unshaped(tool) {
  const { inputSchema, outputSchema } = tool;
  const own = Object.entries(inputSchema.properties ?? {}).filter(([name]) => !CONTROLS.includes(name));
  const copy = { ...tool, inputSchema: { ...inputSchema, properties: Object.fromEntries(own) } };
  if (outputSchema === undefined) return copy;
  // A dialect that makes no difference is left away.
  const { $schema, anyOf: [original] = [], ...around } = outputSchema;
  return { ...copy, outputSchema: { ...around, ...original } };
}

/** The same text: ids, times and ports are of the run, not of the server. */
export function bytes(value) {
  return JSON.stringify(value)
    .replaceAll(/"blob":"([^"]+)"/g, (_, base64) => `"blob":"${Buffer.from(base64, "base64").toString("latin1")}"`)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>")
    .replaceAll(/"taskId":"[0-9a-f]{32}"/g, '"taskId":"<id>"')
    .replaceAll(/[0-9a-f]{32}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, "<time>")
    .replaceAll(/PORT\\": \\"\d+/g, 'PORT\\": \\"<port>');
}

export const textOf = ({ content }) =>
  content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("");
export const json = (result) => JSON.parse(textOf(result));

/** Each channel of a result is within the budget. */
export function fits(result) {
  assert.ok(countTokens(textOf(result)) <= BUDGET, "the content is over budget");
  if (result.structuredContent !== undefined) {
    assert.ok(countTokens(JSON.stringify(result.structuredContent)) <= BUDGET, "structuredContent is over budget");
  }
}
