// One client's walk through results, which notes who made them, who served them, and what is missing.

import { expand } from "toolshape";
import { events, lines } from "./material.mjs";

const TOTAL = 300;
const LANGUAGES = { python: "Python", typescript: "TypeScript" };
const languageOf = (replica) => LANGUAGES[replica.split(" ")[0]];

export class Walk {
  counts = {
    lists: 0,
    pages: 0,
    foreignPages: 0,
    otherRuns: 0,
    handles: 0,
    reads: 0,
    crossReads: 0,
    pythonReadsTypeScript: 0,
    typeScriptReadsPython: 0,
    losses: 0,
  };
  faults = [];
  handles = [];
  #client;
  #name;

  constructor(client, name) {
    this.#client = client;
    this.#name = name;
  }

  async run(rounds) {
    for (let round = 0; round < rounds; round++) {
      for (const [what, work] of Object.entries({ list: this.#list, report: this.#report, log: this.#log })) {
        const topic = `${this.#name} round ${round}`;
        try {
          await work.call(this, topic);
        } catch (error) {
          this.counts.losses++;
          this.faults.push(`${what} ${topic}: ${error.message}`);
        }
      }
    }
  }

  /** Whether any of another tenant's handles gives anything. */
  async tryToOpen(handles) {
    let found = 0;
    for (const handle of handles) {
      const { value, isError } = await this.#call("read_result", { handle });
      if (!isError || value.error !== "NOT_FOUND") found++;
    }
    return { tried: handles.length, found };
  }

  /** All pages of a list, by the cursors of whichever replica. */
  async #list(topic) {
    this.counts.lists++;
    let [tool, args] = ["list_events", { topic }];
    const rows = [];
    do {
      const { value, replica } = await this.#call(tool, args);
      if (value.error) throw new Error(JSON.stringify(value));
      rows.push(...value.items);
      this.counts.pages++;
      if (value.items[0].madeBy !== replica) this.counts.foreignPages++;
      // By turns the cursor goes to the tool, and alone to `read_result`.
      const cursor = value.nextCursor;
      [tool, args] = tool === "list_events" ? ["read_result", { cursor }] : ["list_events", { topic, cursor }];
    } while (args.cursor !== null);
    const [{ madeBy, run }] = rows;
    if (rows.some((row) => row.madeBy !== madeBy || row.run !== run)) this.counts.otherRuns++;
    same(rows, events(topic, madeBy, run));
  }

  /** A document that was offloaded, by its parts. */
  async #report(topic) {
    const { uri, replica } = await this.#offloaded("report", topic);
    const madeBy = await this.#read({ handle: uri, pointer: "/madeBy" }, replica);
    const rows = [];
    const args = { handle: uri, pointer: "/events" };
    do {
      const page = await this.#read(args, replica);
      rows.push(...page.items);
      args.cursor = page.nextCursor;
    } while (args.cursor !== null);
    same(rows, events(topic, madeBy, rows[0].run));
  }

  /** A log that was offloaded, by ranges of lines. */
  async #log(topic) {
    const { uri, replica } = await this.#offloaded("log", topic);
    let text = "";
    for (let from = 1; from <= TOTAL; ) {
      const part = await this.#read({ handle: uri, lines: `${from}-${from + 49}` }, replica);
      text += part.text;
      from = Number(part.lines.split("-")[1]) + 1;
    }
    const run = Number(/ (\d+)\n/.exec(text)?.[1]);
    same(text, lines(topic, replica, run));
  }

  async #offloaded(tool, topic) {
    const { value, replica } = await this.#call(tool, { topic });
    if (value.offloaded !== true) throw new Error(`not offloaded: ${JSON.stringify(value).slice(0, 200)}`);
    this.counts.handles++;
    this.handles.push(value.uri);
    return { uri: value.uri, replica };
  }

  /** Reads a part of what one replica stored, from whichever. */
  async #read(args, storedBy) {
    const { value, replica, isError } = await this.#call("read_result", args);
    if (isError) throw new Error(JSON.stringify(value));
    this.counts.reads++;
    const [by, from] = [languageOf(replica), languageOf(storedBy)];
    if (by !== from) {
      this.counts.crossReads++;
      this.counts[by === "Python" ? "pythonReadsTypeScript" : "typeScriptReadsPython"]++;
    }
    return value;
  }

  async #call(tool, args) {
    const { content, isError, _meta } = await this.#client.call(tool, args);
    const { text } = content[0];
    return { value: parse(text), isError: isError === true, replica: _meta?.["tests/replica"] };
  }
}

function parse(text) {
  try {
    return JSON.parse(expand(text));
  } catch {
    return text;
  }
}

function same(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${found.length} of ${wanted.length}, or others`);
}
