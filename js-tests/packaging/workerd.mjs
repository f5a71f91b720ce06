// What a worker answers in Cloudflare's runtime.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import workerd from "workerd";

/** Runs the modules in a folder, the first of which is the worker, and returns the answer to one request. */
export async function answerOf(folder, modules, compatibilityDate) {
  const embedded = modules.map(
    (name) => `(name = "${name}", ${name.endsWith(".wasm") ? "wasm" : "esModule"} = embed "${name}")`,
  );
  writeFileSync(
    join(folder, "config.capnp"),
    `
    using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = (modules = [${embedded.join(", ")}], compatibilityDate = "${compatibilityDate}"))],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
    );
  `,
  );
  const runtime = spawn(workerd.default ?? workerd, ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  try {
    for await (const line of createInterface({ input: runtime.stdio[3] })) {
      const { event, port } = JSON.parse(line);
      if (event === "listen") return await (await fetch(`http://127.0.0.1:${port}/`)).text();
    }
    throw new Error("workerd ended before it listened");
  } finally {
    runtime.kill();
  }
}
