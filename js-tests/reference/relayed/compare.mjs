// What came through a relay compared with what comes without it: the same, except results that are shaped and lists that say so.

import assert from "node:assert/strict";
import { Reader } from "../servers/reader.mjs";
import { bytes, fits, reported, unshaped } from "../servers/same.mjs";

const ADDRESS = /toolshape:\/\/result\/([a-z]{16})/;
/** The tool that reads stored results, by the name that the server's gives it. */
const READ_TOOL = /^read_result(_\w+)?$/;
const OURS = {
  "tools/list": ["tools", "name", READ_TOOL],
  "resources/templates/list": ["resourceTemplates", "uriTemplate", /^toolshape:\/\/result\/\{id\}$/],
};

/** What one step brought, as text: what is of the run and not of the server is left away. */
export function normal(value, scratch) {
  return bytes(value ?? null)
    .replaceAll(scratch, "<scratch>")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d/g, "<time>")
    .replaceAll(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d \d{4} <time> GMT[+-]\d{4}/g, "<time>")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z|\[ *\d+ms\]/g, "<time>");
}

/** Asserts that a list has ours at the end of its first page and is else the same. */
function sameList(method, expected, found, scratch) {
  const [member, name, ours] = OURS[method] ?? [];
  const without = found.map((page, at) => {
    const list = page.response?.result?.[member];
    if (list === undefined || at > 0) return page;
    assert.match(list.at(-1)[name], ours);
    return { ...page, response: { result: { ...page.response.result, [member]: list.slice(0, -1) } } };
  });
  const plain = (pages) =>
    pages.map(({ response, ...rest }) => ({
      ...rest,
      response: method === "tools/list" ? unshapedPage(response) : response,
    }));
  assert.equal(normal(plain(without), scratch), normal(plain(expected), scratch));
}

/** Schemas of results that are widened have their members in another order. */
const unshapedPage = ({ result, ...rest }) =>
  result?.tools ? { result: { ...result, tools: result.tools.map(unshaped).map(ordered) } } : { ...rest, result };
const ordered = ({ outputSchema = {}, ...tool }) => ({ ...tool, outputSchema: Object.entries(outputSchema).sort() });

/** Asserts that a step's outcome is the same, or a result that is shaped as it should be: returns its receipt. */
export async function same(step, expected, found, scratch, session) {
  if (step.isList) return void sameList(step.method, expected, found, scratch);
  if (normal(expected, scratch) === normal(found, scratch)) return;
  // The gateway gives a command its variables in the order of their names.
  if (step.params?.name === "get-env") {
    const variables = ({ response }) => JSON.parse(response.result.content[0].text);
    return void assert.deepEqual(variables(found), variables(expected));
  }
  const [{ own: plain }, { own: shaped, receipt }] = [expected, found].map(({ response }) =>
    reported(response?.result ?? {}),
  );
  const rest = ({ response, reported, ...rest }) => ({
    ...rest,
    reported: step.isRandom ? reported?.method : reported,
  });
  assert.equal(normal(rest(found), scratch), normal(rest(expected), scratch));
  if (receipt === undefined)
    return void assert.equal(normal(found.response, scratch), normal(expected.response, scratch));

  // Everything in it but texts and structured content is the server's.
  const around = ({ content, structuredContent, ...rest }) => ({
    ...rest,
    blocks: content.map(({ text, ...block }) => block),
  });
  if (areRows(plain))
    plain.content = [{ ...plain.content[0], text: JSON.stringify(plain.content.map(({ text }) => JSON.parse(text))) }];
  assert.equal(normal(around(shaped), scratch), normal(around(plain), scratch));
  fits(shaped);
  assert.equal("structuredContent" in shaped, "structuredContent" in plain);
  for (const [at, { type, text }] of plain.content.entries()) {
    if (type === "text" && text !== shaped.content[at].text)
      await readBack(session, shaped.content[at].text, text, scratch);
  }
  return receipt;
}

/** Whether a result has a block for each row of its structured content, which is shaped as a list. */
const areRows = ({ content, structuredContent }) =>
  content.length > 1 && structuredContent?.result?.length === content.length;

/** Asserts that a text that was shaped can be read to its end. */
async function readBack(session, shaped, text, scratch) {
  const tool = /\bread_result\w*/.exec(shaped)?.[0] ?? assert.fail(`no tool in ${shaped.slice(0, 300)}`);
  const [, handle] = ADDRESS.exec(shaped) ?? assert.fail(`no handle in ${shaped.slice(0, 300)}`);
  const reader = new Reader(async ({ fields: [pointer] = [], ...more }) => {
    const { result } = (
      await session.take({
        method: "tools/call",
        params: { name: tool, arguments: { handle, ...(pointer !== undefined && { pointer }), ...more } },
      })
    ).response;
    return result;
  });
  // Data with prose around it is read as data, and the text is there too.
  if (!isJson(text)) return void assert.equal(normal(await reader.text(), scratch), normal(text, scratch));
  assert.equal(
    normal(JSON.stringify(await reader.whole()), scratch),
    normal(JSON.stringify(JSON.parse(text)), scratch),
  );
}

function isJson(text) {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
