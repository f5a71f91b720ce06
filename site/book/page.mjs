// The layout of a page: header, contents, text, and links to the pages before and after.

import { escape, inline } from "./markdown.mjs";
import { relative } from "./links.mjs";

const POLICY =
  "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data:; form-action 'none'; base-uri 'none'";
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='4' y='2' rx='1' fill='%23c2410c'/%3E%3Crect width='6' height='4' y='9' rx='1' fill='%232f6f9f'/%3E%3C/svg%3E";

/**
 * The HTML of a page at `place`. `parts` are those of the contents: names with pages, each a name and a place; `sections` are the headings
 * of this page.
 */
export function layOut({ place, title, body, parts, sections = [] }) {
  const to = (target) => escape(relative(place, target));
  const all = parts.flatMap(([, pages]) => pages);
  const at = all.findIndex((page) => page.place === place);
  const near = [
    [all[at - 1], "prev", "Before"],
    [at < 0 ? undefined : all[at + 1], "next", "Next"],
  ].filter(([page]) => page && !page.place.startsWith("../"));
  const contents = parts.map(
    ([name, pages]) =>
      `<h2>${escape(name)}</h2><ul>${pages.map((page) => `<li><a href="${to(page.place)}"${page.place === place ? ' aria-current="page"' : ""}>${inline(page.name)}</a></li>`).join("")}</ul>`,
  );
  const about =
    sections.length > 0 ? beginning(sections.flatMap(({ words }) => words).join(" ")) : `${title}, a file of toolshape`;
  const here = sections.filter(({ level }) => level === 2 || level === 3);
  return `<!doctype html>
<html lang="en" data-root="${to("index.html").replace(/index\.html$/, "")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="description" content="${escape(about)}">
<title>${escape(place === "index.html" ? "toolshape: the documentation" : `${title} · toolshape`)}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${to("book.css")}">
<script defer src="${to("book.js")}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header class="bar">
<a class="mark" href="${to("index.html")}">toolshape</a>
<button type="button" popovertarget="contents">Contents</button>
<form role="search" hidden><input type="search" name="words" aria-label="Search the documentation" placeholder="Search  ( / )" autocomplete="off" spellcheck="false"></form>
<a class="playground" href="${to("../index.html")}">Playground</a>
</header>
<div class="frame">
<nav id="contents" class="contents" aria-label="Contents" popover>${contents.join("\n")}</nav>
<main id="text" tabindex="-1">
${body}${near.length > 0 ? `<nav class="near" aria-label="Pages before and after">${near.map(([page, rel, word]) => `<a rel="${rel}" href="${to(page.place)}"><small>${word}</small> ${inline(page.name)}</a>`).join("")}</nav>` : ""}
</main>
${here.length > 1 ? `<nav class="here" aria-label="On this page"><h2>On this page</h2><ul>${here.map(({ level, id, source }) => `<li class="level-${level}"><a href="#${id}">${inline(source)}</a></li>`).join("")}</ul></nav>` : ""}
</div>
</body>
</html>
`;
}

/** The length of a page's description for search engines, in characters. */
const DESCRIBED = 160;

/** The beginning of a text, up to the end of a word. */
function beginning(text) {
  const words = text.replace(/\s+/g, " ").trim();
  return words.length <= DESCRIBED ? words : `${words.slice(0, words.lastIndexOf(" ", DESCRIBED - 1))}…`;
}
