// How results are read here: what the content says, the tools that are listed, and pages one after the other.

import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expand } from "toolshape";

export const call = (client, name, args = {}) => client.callTool({ name, arguments: args });
export const textOf = ({ content }) =>
  content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("");
export const json = (result) => JSON.parse(expand(textOf(result)));
/** The structured content, without what an SDK puts around what is not an object for clients of 2025. */
export const structured = ({ structuredContent }) => structuredContent.result ?? structuredContent;
export const receiptOf = (result) => result._meta?.["toolshape/receipt"];
export const upTo = (count) => Array.from({ length: count }, (_, id) => id);

/** The tools that a client is listed, by name. */
export async function toolsOf(client) {
  const { tools } = await client.listTools();
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}

const ajv = new Ajv2020({ strict: false });

export const validator = ({ $schema, ...schema }) => ajv.compile(schema);

/** Whether a schema is one at all. */
export const isSchema = ({ $schema, ...schema }) => ajv.validateSchema(schema) === true;

/** A value out of the dense form. */
export const plain = (value) => JSON.parse(expand(JSON.stringify(value)));

/** The rows of a page, wherever it has them, in either form. */
export function rowsOf(page) {
  const value = plain(page);
  const rows = [value, value.items, value.rows, value._value?.rows, value._value].find(Array.isArray);
  assert.ok(rows, `no rows in ${JSON.stringify(value).slice(0, 200)}`);
  return rows;
}

export const nextOf = (value) => (value._page ?? value).nextCursor ?? null;

/** The ids of all rows, page by page, as one channel tells them. */
export async function everyRow(client, name, count, read = json) {
  const ids = [];
  for (let cursor; cursor !== null; ) {
    const value = read(await call(client, name, { count, ...(cursor !== undefined && { cursor }) }));
    ids.push(...rowsOf(value).map(({ id }) => id));
    assert.ok(ids.length <= count, "pages go in a circle");
    cursor = nextOf(value);
  }
  return ids;
}
