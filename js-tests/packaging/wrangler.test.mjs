// Workers as Cloudflare's own tool bundles them, run in Cloudflare's runtime.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { answerOf } from "./workerd.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const wrangler = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
// The worker lies where the package is found; what wrangler makes of it lies where nothing else is.
const workers = join(here, "workers");
const alone = mkdtempSync(join(tmpdir(), "toolshape-wrangler-"));
after(() => [workers, alone].forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const FETCH = `
  export default { fetch() {
    const rows = Array.from({ length: 100 }, (_, id) => ({ id }));
    const shaped = new Shaper({ maxTokens: 500, paginateAfter: 50 }).shape(rows, { tool: "t" });
    return Response.json([shaped.value.totalItems, countTokens("Hello, world!")]);
  } };
`;

for (const [name, date, imports] of [
  ["the package itself", "2025-06-01", `import { Shaper, countTokens } from "toolshape";`],
  [
    "the module as a file, before that date",
    "2024-01-01",
    `
    import { Shaper, countTokens, useModule } from "toolshape/slim"; import "toolshape/o200k_base";
    import module from "toolshape-wasm/toolshape.wasm"; useModule(module);
  `,
  ],
]) {
  test(name, async () => {
    const source = join(workers, date);
    const bundle = join(alone, date);
    mkdirSync(source, { recursive: true });
    writeFileSync(join(source, "worker.js"), imports + FETCH);
    writeFileSync(
      join(source, "wrangler.json"),
      JSON.stringify({ name: "worker", main: "worker.js", compatibility_date: date }),
    );
    const env = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: alone, CI: "1", HOME: alone };
    execFileSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", bundle], {
      cwd: source,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const modules = readdirSync(bundle)
      .filter((file) => /\.(js|wasm)$/.test(file))
      .sort((a) => (a === "worker.js" ? -1 : 1));
    assert.equal(modules.length, imports.includes(".wasm") ? 2 : 1);
    assert.equal(await answerOf(bundle, modules, date), "[100,4]");
  });
}
