// Scripts as models write them for hosts in which they call tools from code. Such a script gets whole results, and the model
// reads only what it prints.

import { articles, FAILED_LINE, issues, tickets } from "./servers/data.mjs";

const rows = (result) => `JSON.parse(${result}.content[0].text)`;
const call = (tool, server = "probe") => `await tools.mcp__${server}__${tool}({})`;
const isOpen = ({ state }) => state === "open";

/** Each has a name, its code and what it must print. */
export const PROGRAMS = [
  {
    as: "articles of an author",
    code: `const r = ${call("list_articles")}; text(${rows("r")}.filter((row) => row.author.name === "Author 3").length)`,
    prints: articles().filter(({ author }) => author.name === "Author 3").length,
  },
  {
    as: "open tickets",
    code: `const r = ${call("list_tickets")}; text(r.structuredContent.items.filter((row) => row.state === "open").length)`,
    prints: tickets().filter(isOpen).length,
  },
  {
    as: "errors of a log",
    code: `const r = ${call("build_log")}; text(r.content[0].text.split("\\n").filter((line) => line.startsWith("ERROR")).join())`,
    prints: FAILED_LINE,
  },
  {
    as: "issues",
    code: `const r = ${call("list_issues", "second")}; text(${rows("r")}.length)`,
    prints: issues().length,
  },
  {
    as: "articles with an open ticket",
    code: `const [a, t] = await Promise.all([tools.mcp__probe__list_articles({}), tools.mcp__probe__list_tickets({})]);
      text(${rows("a")}.filter((row) => t.structuredContent.items[row.id].state === "open").length)`,
    prints: tickets().slice(0, articles().length).filter(isOpen).length,
  },
];

/** The programs as a script of a model. */
export const PROGRAM_TURNS = PROGRAMS.map(({ as, code }) => [{ as, tool: "exec", code }]);

/** The programs that print something else, with what they print. */
export const wrong = (model) =>
  PROGRAMS.filter(({ as, prints }) => model.read(as).text.trim().split("\n").at(-1) !== String(prints)).map(
    ({ as }) => `${as} (${model.read(as).text.trim().slice(-80)})`,
  );
