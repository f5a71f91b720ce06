// Resolves links of pages: to a page of the book, or to a file of the checkout, which then becomes a page.

import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** The path in the book of a page of the checkout. */
export function placeOfPage(path) {
  if (path === "README.md") return "index.html";
  if (path === "docs/README.md") return "pages.html";
  return path.replace(/^docs\//, "").replace(/\.md$/, ".html");
}

export class Links {
  #root;
  #pages;
  /** Files and folders that pages link to, other than pages. */
  files = new Map();
  faults = [];

  constructor(root, pages) {
    this.#root = root;
    this.#pages = new Set(pages);
  }

  /** The path in the book of a file in the checkout; undefined if it does not exist. */
  place(path) {
    for (const page of [path, posix.join(path, "README.md")]) if (this.#pages.has(page)) return placeOfPage(page);
    const file = join(this.#root, path);
    if (path.startsWith("..") || !existsSync(file)) return undefined;
    const place = statSync(file).isDirectory() ? posix.join("files", path, "index.html") : `files/${path}.html`;
    this.files.set(path.replace(/\/$/, ""), place);
    return place;
  }

  /** The target in the book of the link `href` on the page `from`, which is at `at` in the book. */
  resolve(href, from, at) {
    if (/^[a-z]+:/i.test(href) || href.startsWith("#")) return href;
    const [path, ...anchor] = href.split("#");
    const found = this.place(posix.normalize(posix.join(posix.dirname(from), decodeURIComponent(path))));
    if (found === undefined) {
      this.faults.push(`${from}: ${href} does not exist`);
      return href;
    }
    return [relative(at, found), ...anchor].join("#");
  }
}

/** The relative path from one page of the book to another. */
export const relative = (from, to) => posix.relative(posix.dirname(from), to);
