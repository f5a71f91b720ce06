// Runs the steps of a row of `docs/behaviours.json` and compares what comes of each, as `vectors/README.md` explains.

import assert from "node:assert/strict";
import { countTokens } from "toolshape";
import {
  everyRow,
  isSchema,
  json,
  nextOf,
  receiptOf,
  rowsOf,
  structured,
  plain,
  textOf,
  toolsOf,
  upTo,
  validator,
} from "./results.mjs";
import { BUDGET, POLICY, holds, putIn } from "./table.mjs";

/** Tries a row in a column, with clients of its servers. */
export async function tryRow({ steps }, setting) {
  const seen = {};
  for (const step of steps) {
    if (step.where && !holds(step.where, setting)) continue;
    for (const more of step.each ?? [{}]) {
      const told = JSON.stringify({ ...step, ...(step.each && { each: [more] }) }).slice(0, 300);
      const outcome = await outcomeOf(step, more, setting, seen);
      if (step.as) seen[step.as] = outcome;
      if (step.fits) fits(outcome, step.fits === true ? BUDGET : evaluated(step.fits, seen), told);
      for (const [pointer, relation, wanted] of step.expect ?? []) {
        compare(at(outcome, pointer), relation, evaluated(wanted, seen), `${pointer} ${relation} in ${told}`);
      }
    }
  }
}

async function outcomeOf(step, more, setting, seen) {
  const client = (name) => (name === "bare" ? setting.bare.client : setting[name ?? "client"]);
  if ("call" in step) return called(step, { ...evaluated(step.args ?? {}, seen), ...more }, client(step.of), setting);
  if ("tools" in step) return listed(await toolsOf(client(step.tools)));
  if ("templates" in step) {
    const { resourceTemplates } = await client(step.templates).listResourceTemplates();
    return { templates: resourceTemplates.map(({ uriTemplate }) => uriTemplate) };
  }
  if ("resource" in step) return resource(client(step.of), evaluated(step.resource, seen));
  if ("everyRow" in step) {
    const ids = await everyRow(
      client(step.of),
      step.everyRow,
      step.count,
      step.read === "structured" ? structured : json,
    );
    assert.deepEqual(ids, upTo(step.count));
    return { ids };
  }
  return evaluated(step.value, seen);
}

async function called({ call: name, progress: isReported }, args, client, { isV2, client: shaped, questions }) {
  const progress = [];
  const report = { onprogress: (one) => progress.push(one.progress) };
  // Clients of 1.x take a schema of results before the options.
  const options = isReported ? (isV2 ? [report] : [undefined, report]) : [];
  let result;
  try {
    result = await client.callTool({ name, arguments: args }, ...options);
  } catch ({ message }) {
    return { isRefused: true, text: message };
  }
  const { content, structuredContent, isError = false } = result;
  const outcome = {
    isRefused: isError,
    channels: { content, structuredContent, isError },
    types: content.map(({ type }) => type),
    others: content.filter(({ type }) => type !== "text"),
    links: content.filter(({ uri }) => uri?.startsWith("toolshape://result/")),
    meta: result._meta,
    receipt: receiptOf(result),
    text: textOf(result),
    bytes: Buffer.byteLength(textOf(result)),
    progress,
    questions: client === shaped ? questions.splice(0) : [],
  };
  if (structuredContent !== undefined) outcome.structured = plain(structured(result));
  return read(outcome);
}

/** With what a text holds, if it is JSON. */
function read(outcome) {
  try {
    outcome.json = plain(JSON.parse(outcome.text));
  } catch {
    return outcome;
  }
  outcome.next = nextOf(outcome.json ?? {});
  if (outcome.json?.items) outcome.rows = rowsOf(outcome.json);
  return outcome;
}

function listed(tools) {
  const all = Object.entries(tools);
  const withoutSchemas = ({ inputSchema, outputSchema, ...rest }) => rest;
  const isValid = ({ inputSchema, outputSchema = {} }) => isSchema(inputSchema) && isSchema(outputSchema);
  return {
    tools,
    names: Object.keys(tools),
    withoutSchemas: Object.fromEntries(all.map(([name, tool]) => [name, withoutSchemas(tool)])),
    invalidSchemas: all.filter(([, tool]) => !isValid(tool)).map(([name]) => name),
  };
}

async function resource(client, uri) {
  try {
    const { contents } = await client.readResource({ uri });
    return read({ isRefused: false, uri: contents[0].uri, text: contents[0].text });
  } catch ({ message, code }) {
    return { isRefused: true, text: message, code };
  }
}

/** Each channel is within the budget, our links included. */
function fits({ text, links = [], channels }, budget, told) {
  const weigh = (value) => countTokens(typeof value === "string" ? value : JSON.stringify(value));
  const beside = links.reduce((sum, link) => sum + weigh(link), 0);
  assert.ok(text.length > 0 && weigh(text) + beside <= budget, `${weigh(text) + beside} tokens of content: ${told}`);
  if (channels?.structuredContent === undefined) return;
  const tokens = weigh(channels.structuredContent) + beside;
  assert.ok(tokens <= budget, `${tokens} tokens of structured content: ${told}`);
}

/** The value at a JSON Pointer, where -1 is the last item; undefined for nothing. */
function at(value, pointer) {
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Array.isArray(value) ? value.at(Number(key)) : value?.[key];
  }
  return value;
}

/** What a value of the data means. */
function evaluated(value, seen) {
  const inner = (value) => evaluated(value, seen);
  if (Array.isArray(value)) return value.map(inner);
  if (typeof value === "string") return putIn(value);
  if (typeof value !== "object" || value === null) return value;
  const [[key, of] = []] = Object.entries(value);
  switch (key) {
    case "$ref": {
      const [name] = of.split("/");
      assert.ok(name in seen, `nothing is called ${name}`);
      return at(seen[name], of.slice(name.length));
    }
    case "$policy":
      return at(POLICY, of);
    case "$rows":
      return upTo(of[1])
        .slice(of[0])
        .map((id) => ({ id, name: `the row of number ${id}` }));
    case "$repeat":
      return upTo(of[1])
        .map((index) => of[0].replaceAll("${i}", index))
        .join("");
    case "$concat":
      return putIn(inner(of).join(""));
    case "$length":
      return inner(of).length;
    case "$compact":
      return JSON.stringify(inner(of));
    case "$add":
      return inner(of).reduce((sum, one) => sum + one, 0);
    case "$with":
      return Object.assign({}, ...inner(of));
    default:
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inner(member)]));
  }
}

const RELATIONS = {
  is: (value, wanted) => assert.deepEqual(value, wanted),
  "equals except in properties": (value, wanted) =>
    assert.deepEqual({ ...value, properties: 0 }, { ...wanted, properties: 0 }),
  absent: (value) => assert.ok(value === undefined || value === null),
  includes: (value, wanted) => {
    for (const [key, member] of Object.entries(wanted)) assert.deepEqual(value[key], member, key);
  },
  "has keys": (value, wanted) => assert.deepEqual(Object.keys(value), wanted),
  "has length": (value, wanted) => assert.equal(value.length, wanted),
  "keeps the order of": (value, wanted) =>
    assert.deepEqual(
      value.filter((name) => wanted.includes(name)),
      wanted,
    ),
  contains: (value, wanted) => assert.ok(value.includes(wanted)),
  lacks: (value, wanted) => assert.ok(!value.includes(wanted)),
  matches: (value, wanted) => assert.match(value, new RegExp(wanted)),
  "starts with": (value, wanted) => assert.ok(value.startsWith(wanted)),
  "is over": (value, wanted) => assert.ok(value > wanted),
  "is under": (value, wanted) => assert.ok(value < wanted),
  "is at most": (value, wanted) => assert.ok(value <= wanted),
  "is valid by": (value, wanted) => assert.ok(validator(wanted)(value)),
  "is invalid by": (value, wanted) => assert.ok(!validator(wanted)(value)),
};

function compare(value, relation, wanted, told) {
  assert.ok(relation in RELATIONS, `${relation} is not a relation: ${told}`);
  try {
    RELATIONS[relation](value, wanted);
  } catch (error) {
    throw new Error(`${told}\n${JSON.stringify(value)?.slice(0, 500)}`, { cause: error });
  }
}
