// Where a link of a page leads in the book: to a page, or to a file of the checkout, which becomes a page then.

import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** The place in the book of a file in the checkout that is a page. */
export function placeOfPage(path) {
  if (path === "README.md") return "index.html";
  if (path === "docs/README.md") return "pages.html";
  return path.replace(/^docs\//, "").replace(/\.md$/, ".html");
}

export class Links {
  #root;
  #pages;
  /** The files and folders that pages lead to, beside the pages themselves. */
  files = new Map();
  faults = [];

  constructor(root, pages) {
    this.#root = root;
    this.#pages = new Set(pages);
  }

  /** The place of what is at `path` in the checkout; nothing if nothing is there. */
  place(path) {
    for (const page of [path, posix.join(path, "README.md")]) if (this.#pages.has(page)) return placeOfPage(page);
    const file = join(this.#root, path);
    if (path.startsWith("..") || !existsSync(file)) return undefined;
    const place = statSync(file).isDirectory() ? posix.join("files", path, "index.html") : `files/${path}.html`;
    this.files.set(path.replace(/\/$/, ""), place);
    return place;
  }

  /** What a link says in the book that says `href` in the checkout, on the page `from` whose place is `at`. */
  resolve(href, from, at) {
    if (/^[a-z]+:/i.test(href) || href.startsWith("#")) return href;
    const [path, ...anchor] = href.split("#");
    const found = this.place(posix.normalize(posix.join(posix.dirname(from), decodeURIComponent(path))));
    if (found === undefined) {
      this.faults.push(`${from}: ${href} leads nowhere`);
      return href;
    }
    return [relative(at, found), ...anchor].join("#");
  }
}

/** The way from one place in the book to another. */
export const relative = (from, to) => posix.relative(posix.dirname(from), to);
