// Serves a folder on loopback, compressed: `node serve.mjs FOLDER [--port PORT]`.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";
import { pipeline } from "node:stream";
import { parseArgs } from "node:util";
import { constants, createBrotliCompress, createGzip } from "node:zlib";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** How a file is compressed, the best first: as small and as quick as those who host static sites do it. */
const ENCODINGS = {
  br: (size) =>
    createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: size } }),
  gzip: () => createGzip({ level: 9 }),
};

/** A server of the files in a folder; it listens at `port`, 0 for a free one. */
export async function serve(folder, port) {
  const root = resolve(folder);
  const server = createServer((request, response) => {
    // Browsers ask for it where a page names no icon.
    if (request.url === "/favicon.ico") return response.writeHead(204).end();
    const path = join(root, normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
    const file = path.endsWith(sep) ? join(path, "index.html") : path;
    const found = file.startsWith(root) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    if (!found?.isFile()) return response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    const accepted = (request.headers["accept-encoding"] ?? "").split(",").map((one) => one.split(";")[0].trim());
    const encoding = Object.keys(ENCODINGS).find((one) => accepted.includes(one));
    response.writeHead(200, {
      "content-type": `${type}; charset=utf-8`,
      "cache-control": "no-cache",
      ...(encoding && { "content-encoding": encoding }),
    });
    const steps = [createReadStream(file), ...(encoding ? [ENCODINGS[encoding](found.size)] : []), response];
    pipeline(steps, () => undefined);
  });
  await new Promise((done, fail) => server.on("error", fail).listen(port, "127.0.0.1", done));
  return server;
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    options: { port: { type: "string", default: "8080" } },
    allowPositionals: true,
  });
  const server = await serve(positionals[0] ?? ".", Number(values.port));
  console.log(`http://127.0.0.1:${server.address().port}/  (Ctrl+C ends it)`);
}
