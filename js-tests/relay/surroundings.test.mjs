// What a server has of the environment in which the relay was started.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation } from "./conversation.mjs";
import { overEach } from "./pumps.mjs";

/** A server that reports these variables. */
const telling = (names) => [
  process.execPath,
  "-e",
  `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name] ?? null)))`,
];

async function reported(pump, env) {
  const talk = new Conversation(
    [...pump, "--", ...telling(["npm_config_package", "npm_config_call", "npm_config_registry", "OWN"])],
    { env },
  );
  try {
    await talk.received.linesCount(1);
    return JSON.parse(talk.received.lines()[0]);
  } finally {
    await talk.end();
  }
}

overEach("the environment", (pump) => {
  const set = {
    npm_config_package: "toolshape",
    npm_config_call: "toolshape",
    npm_config_registry: "of-user",
    OWN: "x",
  };

  test("the options of npx do not reach the server's own npx", async () => {
    assert.deepEqual(await reported(pump, { ...set, npm_command: "exec" }), [null, null, "of-user", "x"]);
  });

  test("the server has everything else", async () => {
    assert.deepEqual(await reported(pump, { ...set, npm_command: "run-script" }), [
      "toolshape",
      "toolshape",
      "of-user",
      "x",
    ]);
  });
});
