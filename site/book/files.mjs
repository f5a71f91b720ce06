// Files and folders of the checkout that pages link to, as pages of the book.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { relative } from "./links.mjs";
import { escape, highlighted } from "./markdown.mjs";

/** Folders that are not part of the repository. */
const IGNORED = new Set(["node_modules", "target", "__pycache__"]);

/** The body of the page for the file or folder at `path`; links in it are added to `links`. */
export function fileBody(root, path, place, links) {
  const file = join(root, path);
  const head = `<h1><code>${escape(path)}</code></h1>`;
  if (statSync(file).isDirectory()) {
    const names = readdirSync(file)
      .filter((name) => !name.startsWith(".") && !IGNORED.has(name))
      .sort();
    const entries = names.map(
      (name) =>
        `<li><a href="${escape(relative(place, links.place(posix.join(path, name))))}"><code>${escape(name)}</code></a></li>`,
    );
    return `${head}<ul>${entries.join("")}</ul>`;
  }
  const bytes = readFileSync(file);
  const text = bytes.toString("utf8");
  if (!bytes.equals(Buffer.from(text)) || text.includes("\0"))
    return `${head}<p>${bytes.length.toLocaleString("en")} bytes, not text.</p>`;
  return `${head}<pre class="scrolls"><code>${highlighted(text, extname(path).slice(1))}</code></pre>`;
}
