// The tools of every server here, as each SDK is to be given them.

import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";

export const rows = (count) => Array.from({ length: count }, (_, id) => ({ id, name: `the row of number ${id}` }));
const text = (value) => ({ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) });
const encoded = (what) => Buffer.alloc(36_000, what).toString("base64");
const count = z.strictObject({ count: z.number() });
const row = z.strictObject({ id: z.number(), name: z.string() });
const output = z.strictObject({ total: z.number(), rows: z.array(row).min(2), note: z.string().optional() });

export const LOG = Array.from({ length: 2000 }, (_, at) => `GET /articles/${at} 200\n`).join("");
export const QUESTION = "Whose articles? ".repeat(300);
const EXACT = `[${Array(200).fill('{"id":9007199254740993,"price":1.0,"zero":-0,"name":"a row"}').join(",")}]`;
/** The header of an image of 100 by 100 pixels. */
const HEADER = "iVBORw0KGgoAAAANSUhEUgAAAGQAAABkCAIAAAD/gAID";
const NO_TEXT = [
  { type: "image", data: HEADER + encoded("pixels"), mimeType: "image/png" },
  { type: "audio", data: encoded("sounds"), mimeType: "audio/wav" },
  { type: "resource", resource: { uri: "file:///blob", mimeType: "application/pdf", blob: encoded("pages") } },
  { type: "resource_link", uri: "file:///report.pdf", name: "report" },
];
const SHOTS = Array.from({ length: 6 }, (_, at) => ({
  type: "image",
  data: `${HEADER}AAA${at}`,
  mimeType: "image/png",
}));
/** What a block may have in addition to what it shows. */
export const BESIDE = {
  annotations: { audience: ["user", "assistant"], priority: 0.5 },
  _meta: { "example.com/pages": 3 },
};

class TooMany extends Error {
  status = 429;
  headers = { "retry-after": "30" };
}

/** Of the process, since a server over HTTP may be made for every request. */
const runs = { list_rows: 0 };
const rights = { guarded: true };

/** Who may read what a tool returned, as the servers configure it. */
export const authorize = (context, tool) => context !== undefined && (tool !== "guarded" || rights.guarded);

/** A value that is in both channels. */
const both = (value) => ({ content: [text(value)], structuredContent: value });
const list = ({ count }) => ({ content: [text(rows(count))] });
const thrown = (error) => () => {
  throw error;
};

/** Each with what it takes, what it promises and what it does. */
export const TOOLS = [
  {
    name: "list_rows",
    input: count,
    run: ({ count }) => {
      runs.list_rows++;
      return list({ count });
    },
  },
  { name: "runs", run: () => ({ content: [text(String(runs.list_rows))] }) },
  { name: "guarded", input: count, run: list },
  {
    name: "rights",
    input: z.strictObject({ given: z.boolean() }),
    run: ({ given }) => {
      rights.guarded = given;
      return { content: [text("so be it")] };
    },
  },
  { name: "json_text", input: count, run: list },
  { name: "wide", input: count, run: ({ count }) => ({ content: [text(JSON.stringify(rows(count), null, 4))] }) },
  { name: "blocks", input: count, run: ({ count }) => ({ content: rows(count).map(text) }) },
  { name: "several", run: () => ({ content: [text("All rows of today:"), text(rows(400))] }) },
  { name: "log", run: () => ({ content: [text(LOG)] }) },
  { name: "hosted", run: () => ({ content: [text(LOG)] }) },
  { name: "exact", run: () => ({ content: [text(EXACT)] }) },
  { name: "promised", input: count, output, run: ({ count }) => both({ total: count, rows: rows(count) }) },
  {
    name: "kept",
    input: count,
    output,
    run: ({ count }) => both({ total: count, rows: rows(count), note: "a long note ".repeat(500) }),
  },
  { name: "broken", output, run: () => both({ total: "many", rows: rows(900) }) },
  {
    name: "own_cursor",
    input: z.strictObject({ cursor: z.string().optional(), page: z.number().optional() }),
    run: ({ cursor, page }) => ({ content: [text(rows(200).map((row) => ({ ...row, cursor, page })))] }),
  },
  {
    name: "no_text",
    run: () => ({
      content: [...NO_TEXT.slice(0, 2), text(rows(200)), ...NO_TEXT.slice(2)],
      _meta: { "example.com/theirs": [1, 2] },
    }),
  },
  { name: "shots", run: () => ({ content: SHOTS }) },
  {
    name: "annotated",
    run: () => ({ content: [NO_TEXT[3], text(rows(200))].map((block) => ({ ...block, ...BESIDE })) }),
  },
  { name: "error", run: () => ({ content: [text(`Traceback\n${"  at line 1\n".repeat(900)}`)], isError: true }) },
  { name: "flattened", run: () => ({ content: [text("Request failed with status code 429")], isError: true }) },
  { name: "boom", input: z.strictObject({}), run: thrown(new TooMany("Too Many Requests")) },
  { name: "fails", run: thrown(new Error("no such article")) },
  { name: "fails_at_length", run: thrown(new Error("no such article ".repeat(3000))) },
  ...["alone", "narrow", "refuses", "stored"].map((name) => ({ name, input: count, run: list })),
  {
    name: "reports",
    input: count,
    run: async ({ count }, { report }) => {
      await report(1);
      await report(2);
      // Once they have a result, clients forget whose progress it was.
      await sleep(50);
      return list({ count });
    },
  },
  {
    name: "described",
    about: {
      title: "Rows of today",
      description: "All of them, in their order",
      annotations: { readOnlyHint: true },
      _meta: { "anthropic/maxResultSizeChars": 500_000 },
    },
    input: count,
    run: list,
  },
];

/** Those that only servers of 2026 have: a promise of a list, and a question to the client. */
export const TOOLS_OF_2026 = [
  { name: "listed", input: count, output: z.array(row), run: ({ count }) => both(rows(count)) },
  {
    name: "asks",
    run: (_, { answers }) => {
      if (answers !== undefined)
        return { content: [text(rows(400).map((row) => ({ ...row, author: answers.name.content.name })))] };
      const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
      const params = { mode: "form", message: QUESTION, requestedSchema };
      return { resultType: "input_required", inputRequests: { name: { method: "elicitation/create", params } } };
    },
  },
];
