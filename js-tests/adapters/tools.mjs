// The tools of every server here, as each SDK is to be given them.

import * as z from "zod";

export const POLICY = {
  maxTokens: 600,
  tools: { alone: false, kept: { schema: "preserve" } },
};

const rows = (count) => Array.from({ length: count }, (_, id) => ({ id, name: `the row of number ${id}` }));
const text = (value) => ({ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) });
const count = z.strictObject({ count: z.number() });
const row = z.strictObject({ id: z.number(), name: z.string() });

export const IMAGE = { type: "image", data: Buffer.alloc(40_000, "pixels").toString("base64"), mimeType: "image/png" };
export const LINK = { type: "resource_link", uri: "file:///report.pdf", name: "report" };
export const OUTPUT = z.strictObject({ total: z.number(), rows: z.array(row).min(2), note: z.string().optional() });

class TooMany extends Error {
  status = 429;
  headers = { "retry-after": "30" };
}

/** Each with what it takes, what it promises and what it does. */
export const TOOLS = [
  { name: "list_rows", input: count, run: ({ count }) => ({ content: [text(rows(count))] }) },
  { name: "wide", input: count, run: ({ count }) => ({ content: [text(JSON.stringify(rows(count), null, 2))] }) },
  { name: "log", run: () => ({ content: [text("GET /index.html 200\n".repeat(2000))] }) },
  {
    name: "promised",
    input: count,
    output: OUTPUT,
    run: ({ count }) => {
      const value = { total: count, rows: rows(count) };
      return { content: [text(value)], structuredContent: value };
    },
  },
  {
    name: "kept",
    input: count,
    output: OUTPUT,
    run: ({ count }) => {
      const value = { total: count, rows: rows(count), note: "a long note ".repeat(500) };
      return { content: [text(value)], structuredContent: value };
    },
  },
  {
    name: "broken",
    output: OUTPUT,
    run: () => ({ content: [text("{}")], structuredContent: { total: "many", rows: rows(900) } }),
  },
  {
    name: "own_cursor",
    input: z.strictObject({ cursor: z.string().optional(), page: z.number().optional() }),
    run: ({ cursor, page }) => ({ content: [text(rows(200).map((row) => ({ ...row, cursor, page })))] }),
  },
  { name: "picture", run: () => ({ content: [IMAGE, text(rows(200)), LINK], _meta: { "example.com/theirs": [1, 2] } }) },
  { name: "error", run: () => ({ content: [text(`Traceback\n${"  at line 1\n".repeat(900)}`)], isError: true }) },
  {
    name: "boom",
    input: z.strictObject({}),
    run: () => {
      throw new TooMany("Too Many Requests");
    },
  },
  {
    name: "fails",
    run: () => {
      throw new Error("no such article");
    },
  },
  {
    name: "fails_at_length",
    run: () => {
      throw new Error("no such article ".repeat(3000));
    },
  },
  { name: "flattened", run: () => ({ content: [text("Request failed with status code 429")], isError: true }) },
  { name: "alone", input: count, run: ({ count }) => ({ content: [text(rows(count))] }) },
];

/** A question to the client, which servers of 2026 put into a result. */
export const QUESTION = {
  name: "asks",
  run: () => ({
    resultType: "input_required",
    inputRequests: { name: { method: "elicitation/create", params: { mode: "form", message: "word ".repeat(900), requestedSchema: { type: "object", properties: {} } } } },
  }),
};

/** A summarizer of the host's own, with a text that says what goes wrong. */
export const SUMMARIZER = {
  by: "the house",
  timeoutSeconds: 0.3,
  summarize: (text, { maxTokens, signal }) => {
    if (text.startsWith("THROW")) throw new TypeError("in /etc/secret");
    if (text.startsWith("HANG")) return new Promise((resolve) => signal.addEventListener("abort", () => resolve("too late")));
    if (text.startsWith("NOTHING")) return undefined;
    if (text.startsWith("LONG")) return "All went well. ".repeat(500);
    return `It has ${text.length} characters; ${maxTokens} tokens are left for them.`;
  },
};
