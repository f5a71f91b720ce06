// What a model does in each host: ten tasks, each with the calls that it makes and whether what it read answers the task.

import { plain } from "./fake/model.mjs";
import { articles, FAILED_LINE, PNG } from "./servers/data.mjs";
import { expectedOf, limitOf } from "./shows.mjs";

const readTool = (server) => `read_result_${server}`;

/** The server that has a tool. */
export const serverOf = (tool) => (tool === "list_issues" || tool === readTool("second") ? "second" : "probe");

const cursorIn = (text) => /"nextCursor"\s*:\s*"([^"]+)/.exec(text)?.[1];
const handleIn = (text) => /toolshape:\/\/result\/([a-z]{16})/.exec(text)?.[1];

/** How many articles an author has; the argument that `read_result` takes is here alone. */
const QUESTION = { sql: "SELECT author->>'name', count(*) FROM result GROUP BY 1" };

const next = (server, of) => ({ tool: readTool(server), args: (read) => ({ cursor: cursorIn(read(of)) }) });
const of = (of, args) => ({ tool: readTool("probe"), args: (read) => ({ handle: handleIn(read(of)), ...args }) });

/** The numbers of the rows that a text has. */
const rows = (text, name) => [...text.matchAll(new RegExp(`${name} (\\d+)`, "g"))].map(([, number]) => Number(number));

/** Whether the second text begins where the first ends. */
function continues(first, second, name) {
  const [before, after] = [rows(first, name), rows(second, name)];
  return before.length > 0 && after.length > 0 && before[0] === 0 && after[0] === before.at(-1) + 1;
}

/** A page that may have more tokens than a host shows has at least this share of the host's limit, or of this text. */
const ROOM = { share: 0.6, chars: 60_000 };

export const TASKS = [
  {
    name: "list",
    turns: [[{ as: "list", tool: "list_articles" }]],
    isAnswered: (read) => rows(read("list").text, "Article number")[0] === 0,
  },
  {
    name: "page 2",
    turns: [[{ as: "page 2", ...next("probe", "list") }]],
    isAnswered: (read) => continues(read("list").text, read("page 2").text, "Article number"),
  },
  {
    name: "large page",
    turns: [[{ as: "large page", tool: "list_events" }]],
    isAnswered(read, { title }) {
      const { text } = read("large page");
      return rows(text, "Event")[0] === 0 && text.length >= ROOM.share * (limitOf(expectedOf(title)) ?? ROOM.chars);
    },
  },
  {
    name: "question",
    turns: [[{ as: "question", ...of("list", QUESTION) }]],
    isAnswered(read) {
      const count = articles().filter(({ author }) => author.name === "Author 3").length;
      return Number(/"Author 3"\D*(\d+)/.exec(plain(read("question").text))?.[1]) === count;
    },
  },
  {
    name: "pointer",
    turns: [[{ as: "pointer", ...of("list", { pointer: "/3/body" }) }]],
    isAnswered: (read) => read("pointer").text.includes(articles(4)[3].body),
  },
  {
    name: "text",
    turns: [[{ as: "log", tool: "build_log" }], [{ as: "text", ...of("log", { search: "ERROR" }) }]],
    isAnswered: (read) => read("text").text.replaceAll("\\", "").includes(FAILED_LINE),
  },
  {
    name: "image",
    turns: [[{ as: "image", tool: "screenshot" }]],
    isAnswered(read, { images = "picture" }) {
      const { text, images: pictures } = read("image");
      const other = text.includes("imagesLeftOut") ? "note" : "none";
      const is = pictures === 1 ? "picture" : text.includes(PNG) ? "text" : other;
      return is === images && rows(text, "Article number")[0] === 0;
    },
  },
  {
    name: "error",
    turns: [[{ as: "error", tool: "get_article", args: { id: 9000 } }]],
    isAnswered: (read) => read("error").text.includes("there is no article 9000"),
  },
  {
    name: "two servers",
    turns: [[{ as: "issues", tool: "list_issues" }], [{ as: "issues 2", ...next("second", "issues") }]],
    isAnswered: (read) => continues(read("issues").text, read("issues 2").text, "Issue"),
  },
  {
    name: "parallel",
    turns: [
      [
        { as: "both 1", tool: "list_articles", args: { query: "b" } },
        { as: "both 2", tool: "list_tickets" },
      ],
      [
        { as: "both 3", ...next("probe", "both 1") },
        { as: "both 4", ...next("probe", "both 2") },
      ],
    ],
    isAnswered: (read) =>
      continues(read("both 1").text, read("both 3").text, "Article number") &&
      continues(read("both 2").text, read("both 4").text, "Ticket"),
  },
];

export const TURNS = TASKS.flatMap(({ turns }) => turns);
