// Follows every link of every page that was written: to a file of the site, and there to the anchor.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse } from "parse5";

/** What is wrong with the links in `pages`, which are paths of HTML files. */
export function brokenLinks(folder, pages) {
  const known = new Map();
  const idsOf = (file) => {
    if (!known.has(file)) known.set(file, file.endsWith(".html") ? attributes(file) : { ids: new Set(), hrefs: [] });
    return known.get(file);
  };
  return pages.flatMap((page) => {
    const file = join(folder, page);
    return idsOf(file).hrefs.flatMap((href) => {
      if (/^(?:https?:|data:|mailto:)/.test(href)) return [];
      const [path, anchor] = href.split("#");
      const target = path === "" ? file : resolve(dirname(file), decodeURIComponent(path));
      if (!existsSync(target)) return [`${page}: ${href} is not there`];
      // What generators of references name is theirs: some of it is made by a script.
      if (anchor && target.startsWith(resolve(folder)) && !idsOf(target).ids.has(decodeURIComponent(anchor)))
        return [`${page}: ${href} names no place in that page`];
      return [];
    });
  });
}

/** The names of places in a page, and all that it leads to or loads. */
function attributes(file) {
  const [ids, hrefs, waiting] = [new Set(), [], [parse(readFileSync(file, "utf8"))]];
  while (waiting.length > 0) {
    const node = waiting.pop();
    for (const { name, value } of node.attrs ?? []) {
      if (name === "id") ids.add(value);
      if (name === "href" || name === "src") hrefs.push(value);
    }
    waiting.push(...(node.childNodes ?? []));
  }
  return { ids, hrefs };
}
