// Search in the book, without a server. The sections are loaded as a script at the first search, because a browser does not fetch data
// for a page opened from a file.

import MiniSearch, { type SearchResult } from "minisearch";

/** A section: where it is, its page, its heading, its text. */
type Section = readonly [place: string, page: string, heading: string, text: string];

declare global {
  var toolshapeSections: readonly Section[] | undefined;
}

const SHOWN = 12;
const AROUND = 70;

const root = document.documentElement.dataset["root"] ?? "";
const form = document.querySelector<HTMLFormElement>("form[role=search]")!;
const field = form.querySelector("input")!;
const panel = Object.assign(document.createElement("div"), { className: "found", hidden: true });
const status = Object.assign(document.createElement("p"), { role: "status" });
const list = document.createElement("ol");
panel.append(status, list);
form.append(panel);
form.hidden = false;

let index: Promise<MiniSearch> | undefined;

function load(): Promise<MiniSearch> {
  index ??= new Promise<void>((done, fail) => {
    const script = Object.assign(document.createElement("script"), { src: `${root}sections.js` });
    script.onload = () => done();
    script.onerror = () => fail(new Error("sections.js is missing"));
    document.head.append(script);
  }).then(() => {
    const search = new MiniSearch({
      fields: ["heading", "page", "text"],
      storeFields: ["id"],
      searchOptions: {
        boost: { heading: 4, page: 2 },
        prefix: true,
        fuzzy: (word) => (word.length > 4 ? 0.15 : false),
      },
    });
    search.addAll(globalThis.toolshapeSections!.map(([, page, heading, text], id) => ({ id, page, heading, text })));
    return search;
  });
  return index;
}

async function show(): Promise<void> {
  const words = field.value.trim();
  panel.hidden = words === "";
  if (words === "") return;
  const search = await load();
  if (words !== field.value.trim()) return;
  // Sections with all words, or else with any of them.
  const all = search.search(words, { combineWith: "AND" });
  const found = all.length > 0 ? all : search.search(words);
  status.textContent =
    found.length === 0
      ? `Nothing about “${words}”`
      : found.length === 1
        ? "1 section"
        : `${found.length} sections${found.length > SHOWN ? `, the first ${SHOWN}` : ""}`;
  list.replaceChildren(...found.slice(0, SHOWN).map(entry));
}

function entry({ id, terms }: SearchResult): HTMLLIElement {
  const [place, page, heading, text] = globalThis.toolshapeSections![id]!;
  const link = Object.assign(document.createElement("a"), { href: root + place });
  const name = document.createElement("b");
  name.textContent = heading === "" ? page : heading;
  const where = document.createElement("small");
  where.textContent = heading === "" ? "" : page;
  const excerpt = document.createElement("span");
  excerpt.append(...marked(text, terms));
  link.append(name, " ", where, excerpt);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** The text around the first match, with the match marked. */
function marked(text: string, terms: readonly string[]): (string | HTMLElement)[] {
  const lower = text.toLowerCase();
  const first = terms
    .map((term) => [lower.indexOf(term), term.length] as const)
    .filter(([at]) => at >= 0)
    .sort(([a], [b]) => a - b)[0];
  if (!first) return [text.slice(0, 2 * AROUND)];
  const [at, length] = first;
  const from = at > AROUND ? text.indexOf(" ", at - AROUND) + 1 : 0;
  const mark = document.createElement("mark");
  mark.textContent = text.slice(at, at + length);
  const end = text.indexOf(" ", at + length + AROUND);
  return [
    `${from > 0 ? "… " : ""}${text.slice(Math.min(from, at), at)}`,
    mark,
    end < 0 ? text.slice(at + length) : `${text.slice(at + length, end)} …`,
  ];
}

field.addEventListener("focus", () => void load(), { once: true });
field.addEventListener("input", () => void show());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
form.addEventListener("focusout", (event) => {
  if (!form.contains(event.relatedTarget as Node | null)) panel.hidden = true;
});
field.addEventListener("focus", () => void show());

/** Arrow keys select a result, Escape closes the list. */
form.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    panel.hidden = true;
    field.focus();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops: HTMLElement[] = [field, ...list.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  if (step === undefined || at < 0 || stops.length < 2) return;
  event.preventDefault();
  stops[(at + step + stops.length) % stops.length]!.focus();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});
