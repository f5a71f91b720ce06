// What the servers return. The suite compares what a model reads with this.

const WORDS = "wheat river engine copper signal harbor violet meadow cipher lantern orbit quartz saddle timber".split(
  " ",
);

const body = (id) =>
  Array.from({ length: 420 }, (_, at) => WORDS[(id * 7 + at * 11 + ((at * at) % 13)) % WORDS.length]).join(" ");

export const AUTHORS = 17;

export const articles = (count = 800) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    title: `Article number ${id}`,
    author: { name: `Author ${id % AUTHORS}`, id: 1000 + (id % AUTHORS) },
    tags: [`t${id % 5}`, `u${id % 7}`],
    body: body(id),
  }));

export const tickets = () =>
  Array.from({ length: 1500 }, (_, id) => ({ id, title: `Ticket ${id}`, state: id % 3 ? "open" : "closed" }));

export const events = () =>
  Array.from({ length: 20_000 }, (_, id) => ({ id, title: `Event ${id}`, state: id % 7 ? "seen" : "new" }));

export const issues = () => Array.from({ length: 3000 }, (_, id) => ({ id, title: `Issue ${id}` }));

export const FAILED_LINE = "ERROR worker-4 build failed: cannot resolve module './harbor' (exit 42)";

export const log = () =>
  Array.from({ length: 6000 }, (_, at) =>
    at === 3777 ? FAILED_LINE : `INFO worker-${at % 8} compiled unit ${at} in ${(at * 37) % 900} ms`,
  ).join("\n");

/** Text of that many characters, in lines of 80. */
export function lines(length) {
  const parts = Array.from(
    { length: length / 8 },
    (_, at) => `${String(at).padStart(7, "w")}${at % 10 === 9 ? "\n" : " "}`,
  );
  return `${parts.join("").slice(0, length - 4)}LAST`;
}

/** A square of ten pixels. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
