// The endpoint of a model on this machine, for hosts of each API. It writes every body to a folder.

import { createServer } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as chat from "./chat.mjs";
import * as generateContent from "./generate_content.mjs";
import * as messages from "./messages.mjs";
import * as responses from "./responses.mjs";

const APIS = [chat, responses, messages, generateContent];

/** Serves `model`; returns its URL and what closes it. */
export async function serve(model, folder) {
  mkdirSync(folder, { recursive: true });
  let count = 0;
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const path = request.url.replace(/\?.*/, "");
    writeFileSync(
      join(folder, `${String(count++).padStart(3, "0")}${path.replace(/[^\w.-]+/g, "_").slice(-60)}.json`),
      text,
    );
    answer(model, { path, body: text ? JSON.parse(text) : {}, number: count }, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

function answer(model, { path, body, number }, response) {
  const send = {
    /** For ids: a host takes two messages with one id for the same. */
    number,
    json: (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value)),
    event(type, data) {
      if (!response.headersSent)
        response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      response.write(`${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
    },
    end: (text) => response.end(text),
  };
  const api = APIS.find(({ takes }) => takes(path));
  if (api) {
    const read = { tools: api.tools(body), results: api.results(body), ids: api.ids(body) };
    api.write(body, model.answer(read), send, path);
  } else if (/count_?tokens$/i.test(path)) send.json({ input_tokens: 100, totalTokens: 100 });
  else if (path.endsWith("/models"))
    send.json({ object: "list", data: [{ id: "fake", object: "model", created: 1, owned_by: "x" }] });
  else send.json({});
}
