// The servers: how each is started in a scratch folder, and what it is asked. All are run as they are published, except those
// in `own/`, which do what no other does.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SERVERS } from "../servers/connect.mjs";
import { CALLS, TASKS } from "../servers/everything_calls.mjs";
import { PACKAGES } from "../newer_node.mjs";
import { ALWAYS, call, list, read, request } from "./steps.mjs";

const npm = (name, file) => [process.execPath, join(PACKAGES, name, file)];
const python = (folder, program) => [join(process.env[folder], program)];
const own = (file) => join(import.meta.dirname, "own", file);

const lines = (count) => Array.from({ length: count }, (_, line) => `line ${line} says ${line * 7}\n`).join("");
const entities = Array.from({ length: 150 }, (_, at) => ({
  name: `entity ${at}`,
  entityType: at % 3 ? "person" : "place",
  observations: [`is number ${at}`, `knows entity ${(at * 7) % 150}`],
}));
const relations = entities
  .slice(1)
  .map(({ name }, at) => ({ from: name, to: `entity ${at}`, relationType: "follows" }));

const playwright = (scratch) => [
  ...npm("@playwright/mcp", "cli.js"),
  ...["--headless", "--isolated", "--no-sandbox"],
  ...["--executable-path", process.env.TOOLSHAPE_CHROMIUM, "--output-dir", scratch],
];

const QUESTIONS = {
  "get-roots-list": "roots",
  "trigger-elicitation-request": "elicitation",
  "trigger-url-elicitation": "elicitation",
  "trigger-elicitation-request-async": "elicitation",
  "trigger-sampling-request": "sampling",
  "trigger-sampling-request-async": "sampling",
  "trigger-long-running-operation": "progress",
};

/**
 * Each server: `command`, `env` and the client's `roots`, given its scratch folder; `listening`, its command at a port; `steps`,
 * given the folder and the address of a page.
 */
export const ALL = {
  everything: {
    command: () => [process.execPath, SERVERS.everything],
    // It reads the port in PORT.
    listening: () => [process.execPath, SERVERS.everything, "streamableHttp"],
    steps: () => [
      ...ALWAYS,
      ...CALLS.map(([name, args]) =>
        call(name, args, {
          ...(name in QUESTIONS && { shows: QUESTIONS[name] }),
          ...(TASKS.includes(name) && { shows: "tasks", isTask: true }),
        }),
      ),
      call("echo", { message: lines(4000) }),
      call(
        "simulate-research-query",
        { topic: "python ".repeat(3000), ambiguous: true },
        { shows: "tasks", isTask: true },
      ),
      list("prompts", "prompts/list"),
      request("prompts", "prompts/get", { name: "simple-prompt" }),
      request("prompts", "prompts/get", { name: "args-prompt", arguments: { city: "Oslo" } }),
      request("completion", "completion/complete", {
        ref: { type: "ref/prompt", name: "completable-prompt" },
        argument: { name: "department", value: "E" },
      }),
      request("completion", "completion/complete", {
        ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" },
        argument: { name: "resourceId", value: "1" },
      }),
      list("resources", "resources/list"),
      list("resource templates", "resources/templates/list"),
      read("demo://resource/dynamic/text/2"),
      read("demo://resource/dynamic/blob/3"),
      read("demo://nowhere"),
      request("logging", "logging/setLevel", { level: "debug" }),
      call("toggle-simulated-logging", {}, { shows: "logging", until: "notifications/message", isRandom: true }),
      call("toggle-simulated-logging"),
      request("subscriptions", "resources/subscribe", { uri: "demo://resource/dynamic/text/2" }),
      call("toggle-subscriber-updates", {}, { shows: "subscriptions", until: "notifications/resources/updated" }),
      call("toggle-subscriber-updates"),
      request("subscriptions", "resources/unsubscribe", { uri: "demo://resource/dynamic/text/2" }),
      call("trigger-long-running-operation", { duration: 1.5, steps: 15 }, { shows: "cancellation", abortAfter: 400 }),
    ],
  },
  filesystem: {
    command: (scratch) => [process.execPath, SERVERS.filesystem, scratch, join(PACKAGES, "zod")],
    // It takes the client's roots in place of the folders of its command.
    roots: (scratch) => [scratch, join(PACKAGES, "zod")].map((folder) => ({ uri: pathToFileURL(folder).href })),
    steps: (scratch) => [
      ...ALWAYS,
      call("list_allowed_directories"),
      call("write_file", { path: join(scratch, "lines.txt"), content: lines(3000) }),
      call("write_file", { path: join(scratch, "small.txt"), content: "one\ntwo\nthree\n" }),
      call("edit_file", { path: join(scratch, "small.txt"), edits: [{ oldText: "two", newText: "2" }] }),
      call("create_directory", { path: join(scratch, "made") }),
      call("move_file", { source: join(scratch, "small.txt"), destination: join(scratch, "made/small.txt") }),
      call("read_text_file", { path: join(scratch, "lines.txt") }),
      call("read_text_file", { path: join(scratch, "made/small.txt") }),
      call("read_text_file", { path: join(PACKAGES, "zod/v4/core/schemas.js"), head: 400 }),
      call("read_multiple_files", {
        paths: ["package.json", "v4/core/errors.js", "v4/core/util.js"].map((file) => join(PACKAGES, "zod", file)),
      }),
      call("directory_tree", { path: join(PACKAGES, "zod/v4") }),
      call("list_directory", { path: join(PACKAGES, "zod/v4/locales") }),
      call("list_directory_with_sizes", { path: join(PACKAGES, "zod/v4/locales"), sortBy: "size" }),
      call("search_files", { path: join(PACKAGES, "zod"), pattern: "**/*.d.ts" }),
      call("get_file_info", { path: join(PACKAGES, "zod/package.json") }),
      call("read_text_file", { path: "/etc/hostname" }, { shows: "errors" }),
      call("read_text_file", { path: 7 }, { shows: "errors" }),
    ],
  },
  memory: {
    command: () => npm("@modelcontextprotocol/server-memory", "dist/index.js"),
    env: (scratch) => ({ MEMORY_FILE_PATH: join(scratch, "memory.jsonl") }),
    steps: () => [
      ...ALWAYS,
      list("resources", "resources/list"),
      request("subscriptions", "resources/subscribe", { uri: "memory://knowledge-graph" }),
      call(
        "create_entities",
        { entities: entities.slice(0, 3) },
        { shows: "subscriptions", until: "notifications/resources/updated" },
      ),
      call("create_entities", { entities }),
      call("create_relations", { relations }),
      call("read_graph"),
      call("search_nodes", { query: "person" }),
      call("open_nodes", { names: ["entity 3", "entity 4"] }),
      call("add_observations", { observations: [{ entityName: "entity 3", contents: ["is odd"] }] }),
      call("delete_entities", { entityNames: ["entity 3"] }),
      call("add_observations", { observations: [{ entityName: "nobody", contents: ["is not"] }] }, { shows: "errors" }),
      read("memory://knowledge-graph"),
    ],
  },
  "sequential-thinking": {
    command: () => npm("@modelcontextprotocol/server-sequential-thinking", "dist/index.js"),
    steps: () => [
      ...ALWAYS,
      ...[1, 2, 3].map((thoughtNumber) =>
        call("sequentialthinking", {
          thought: "so ".repeat(thoughtNumber),
          thoughtNumber,
          totalThoughts: 3,
          nextThoughtNeeded: thoughtNumber < 3,
        }),
      ),
      call("sequentialthinking", { thought: "again", thoughtNumber: "four" }, { shows: "errors" }),
    ],
  },
  playwright: {
    command: playwright,
    listening: (scratch, port) => [...playwright(scratch), "--port", `${port}`],
    steps: (_, page) => [
      ...ALWAYS,
      call("browser_navigate", { url: page }),
      call("browser_snapshot"),
      call("browser_evaluate", { function: "() => [...document.querySelectorAll('tr')].map((row) => row.innerText)" }),
      call("browser_find", { text: "row 299" }),
      call("browser_take_screenshot", { filename: "shot.png" }, { isPicture: true }),
      call("browser_click", { target: "#more" }),
      call("browser_console_messages"),
      call("browser_click", { target: "#nothing" }, { shows: "errors" }),
      call("browser_close"),
    ],
  },
  fetch: {
    command: () => [...python("TOOLSHAPE_PYTHON_BIN", "mcp-server-fetch"), "--allow-private-ips"],
    steps: (_, page) => [
      ...ALWAYS,
      call("fetch", { url: page }),
      call("fetch", { url: page, max_length: 200_000 }),
      call("fetch", { url: page, max_length: 200_000, raw: true }),
      call("fetch", { url: `${page}rows.json`, max_length: 200_000 }),
      call("fetch", { url: `${page}nowhere` }, { shows: "errors" }),
      list("prompts", "prompts/list"),
      request("prompts", "prompts/get", { name: "fetch", arguments: { url: page } }),
    ],
  },
  git: {
    command: (scratch) => [
      ...python("TOOLSHAPE_PYTHON_BIN", "mcp-server-git"),
      "--repository",
      join(scratch, "repository"),
    ],
    env: () => ({ GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" }),
    steps: (scratch) => {
      const repo_path = join(scratch, "repository");
      return [
        ...ALWAYS,
        call("git_status", { repo_path }),
        call("git_log", { repo_path, max_count: 200 }),
        call("git_show", { repo_path, revision: "HEAD" }),
        call("git_diff", { repo_path, target: "HEAD~100" }),
        call("git_diff_unstaged", { repo_path }),
        call("git_create_branch", { repo_path, branch_name: "other" }),
        call("git_checkout", { repo_path, branch_name: "other" }),
        call("git_add", { repo_path, files: ["changed.txt"] }),
        call("git_diff_staged", { repo_path }),
        call("git_commit", { repo_path, message: "Change it" }),
        call("git_branch", { repo_path, branch_type: "all" }),
        call("git_checkout", { repo_path, branch_name: "nowhere" }, { shows: "errors" }),
      ];
    },
  },
  time: {
    command: () => python("TOOLSHAPE_PYTHON_BIN", "mcp-server-time"),
    steps: () => [
      ...ALWAYS,
      call("get_current_time", { timezone: "Europe/Oslo" }),
      call("convert_time", { source_timezone: "Europe/Oslo", time: "16:30", target_timezone: "Asia/Kathmandu" }),
      call("get_current_time", { timezone: "Nowhere/Else" }, { shows: "errors" }),
    ],
  },
  sqlite: {
    command: (scratch) => [...python("TOOLSHAPE_MCP1_BIN", "mcp-server-sqlite"), "--db-path", join(scratch, "rows.db")],
    steps: () => [
      ...ALWAYS,
      call("create_table", { query: "CREATE TABLE rows (id INTEGER PRIMARY KEY, name TEXT, note TEXT)" }),
      call("write_query", {
        query:
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) INSERT INTO rows SELECT i, 'row ' || i, printf('%.*c', i % 60, 'x') FROM n",
      }),
      call("read_query", { query: "SELECT * FROM rows" }),
      call("read_query", { query: "SELECT * FROM rows LIMIT 3" }),
      call("list_tables"),
      call("describe_table", { table_name: "rows" }),
      call(
        "append_insight",
        { insight: "There are rows." },
        { shows: "subscriptions", until: "notifications/resources/updated" },
      ),
      list("resources", "resources/list"),
      read("memo://insights"),
      list("prompts", "prompts/list"),
      request("prompts", "prompts/get", { name: "mcp-demo", arguments: { topic: "rows" } }),
      call("read_query", { query: "SELECT * FROM nothing" }, { shows: "errors" }),
    ],
  },
  "own, Python": {
    command: () => [...python("TOOLSHAPE_PYTHON_BIN", "python"), own("server.py")],
    steps: () => [
      ...ALWAYS,
      call("count_slowly", { to: 5 }, { shows: "progress" }),
      call("ask_person", {}, { shows: "elicitation" }),
      call("ask_model", {}, { shows: "sampling" }),
      call("list_roots", {}, { shows: "roots" }),
      call("who", {}, { shows: "the client's name" }),
      call("say", { text: "hello" }, { shows: "logging", until: "notifications/message" }),
      call("rows", { count: 300 }),
      call("grow", {}, { shows: "list_changed", until: "notifications/tools/list_changed" }),
      list("list_changed", "tools/list"),
      call("grown", {}, { shows: "list_changed" }),
    ],
  },
  "own, odd": {
    command: () => [process.execPath, own("odd.mjs")],
    steps: () => [
      ...ALWAYS,
      call("tool_0", { text: "first page" }),
      call("tool_11", { text: "last page" }),
      call("with_meta", {}, { shows: "_meta" }),
      request("own methods", "example/greet", { name: "Ada" }),
      request("own methods", "example/notify", {}, { until: "notifications/example/notified" }),
      call("slow", {}, { shows: "cancellation", abortAfter: 300 }),
      call("was_cancelled", {}, { shows: "cancellation" }),
    ],
  },
};
