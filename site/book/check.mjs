// Checks every link of every page: the file must exist in the site, and the anchor in the file.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse } from "parse5";

/** The broken links in `pages`, which are paths of HTML files. */
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
      if (!existsSync(target)) return [`${page}: ${href} does not exist`];
      // Anchors of generated references are not checked: scripts create some of them.
      if (anchor && target.startsWith(resolve(folder)) && !idsOf(target).ids.has(decodeURIComponent(anchor)))
        return [`${page}: ${href} has no such anchor`];
      return [];
    });
  });
}

/** The anchors of a page, and the addresses that it links to or loads. */
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
