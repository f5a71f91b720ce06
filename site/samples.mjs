// Results of tools that others made, from packages that are pinned in `package-lock.json`. What a tool returns as rows and
// a package carries as CSV becomes JSON; nothing else is changed.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** A file of a package. */
const file = (name, path) => readFileSync(join(dirname(manifest(name)), path), "utf8");
const vega = (name) => file("vega-datasets", `data/${name}`);
const simdjson = (name) => file("simdjson", `jsonexamples/${name}.json`);

function manifest(name) {
  try {
    return require.resolve(`${name}/package.json`);
  } catch {
    // Its manifest is not among what it exports.
    const entry = require.resolve(name);
    return join(entry.slice(0, entry.lastIndexOf(`node_modules/${name}`)), "node_modules", name, "package.json");
  }
}

/** The rows of a table without quoted cells, with numbers as numbers. */
function rowsOf(csv) {
  const [head, ...lines] = csv.trim().split(/\r?\n/);
  const keys = head.split(",");
  return lines.map((line) =>
    Object.fromEntries(
      line.split(",").map((cell, at) => [keys[at], cell !== "" && Number.isFinite(Number(cell)) ? Number(cell) : cell]),
    ),
  );
}

/** A grid that is stored as one list, as its rows. */
function matrix(json) {
  const { width, height, values } = JSON.parse(json);
  return JSON.stringify({
    width,
    height,
    rows: Array.from({ length: height }, (_, row) => values.slice(row * width, (row + 1) * width)),
  });
}

export const SAMPLES = [
  {
    id: "tweets",
    title: "Posts",
    kind: "API answer",
    about: "What a search API answered: 100 posts with everything around them.",
    tool: "search_posts",
    source: "Twitter's API of 2014, in npm simdjson",
    licence: "Apache-2.0",
    text: () => simdjson("twitter"),
  },
  {
    id: "earthquakes",
    title: "Earthquakes",
    kind: "GeoJSON",
    about: "All earthquakes of a week, as GeoJSON: an object around one long list.",
    tool: "list_earthquakes",
    source: "USGS, in npm vega-datasets",
    licence: "Public domain",
    text: () => vega("earthquakes.json"),
  },
  {
    id: "events",
    title: "Events",
    kind: "API answer",
    about: "A list of 30 events, each with a payload of its own form.",
    tool: "list_events",
    source: "GitHub's API of 2013, in npm simdjson",
    licence: "Apache-2.0",
    text: () => simdjson("github_events"),
  },
  {
    id: "penguins",
    title: "Penguins",
    kind: "rows",
    about: "344 penguins, measured: rows of a database.",
    tool: "query_penguins",
    source: "Palmer Station LTER, in npm vega-datasets",
    licence: "CC0-1.0",
    text: () => vega("penguins.json"),
  },
  {
    id: "catalog",
    title: "Concerts",
    kind: "nested object",
    about: "The catalogue of a concert hall: maps of maps.",
    tool: "get_catalog",
    source: "CITM, in npm simdjson",
    licence: "Apache-2.0",
    text: () => simdjson("citm_catalog"),
  },
  {
    id: "types",
    title: "Media types",
    kind: "map",
    about: "2,500 media types, each under its name.",
    tool: "list_media_types",
    source: "npm mime-db",
    licence: "MIT",
    text: () => file("mime-db", "db.json"),
  },
  {
    id: "airports",
    title: "Airports",
    kind: "CSV",
    about: "3,376 airports, as a text of comma-separated values.",
    tool: "export_airports",
    source: "Data.gov, in npm vega-datasets",
    licence: "Work of the US government",
    text: () => vega("airports.csv"),
  },
  {
    id: "weather",
    title: "Weather",
    kind: "series",
    about: "The weather of Seattle over four years, day by day.",
    tool: "get_weather",
    source: "NOAA, in npm vega-datasets",
    licence: "Work of the US government",
    policy: { series: { value: "temp_max", at: "date" } },
    text: () => JSON.stringify(rowsOf(vega("seattle-weather.csv"))),
  },
  {
    id: "rain",
    title: "Rain",
    kind: "grid",
    about: "The rain of a year, on a grid over the whole earth: 60,480 cells.",
    tool: "get_precipitation",
    source: "NOAA, in npm vega-datasets",
    licence: "Public domain",
    policy: { grid: { list: "rows" } },
    text: () => matrix(vega("annual-precip.json")),
  },
  {
    id: "log",
    title: "CouchDB",
    kind: "log",
    about: "The log of a CouchDB, with crash reports in it.",
    tool: "read_log",
    source: "npm couchdb-log-parse",
    licence: "ISC",
    text: () => file("couchdb-log-parse", "test/fixtures/log"),
  },
  {
    id: "trace",
    title: "Chrome",
    kind: "trace, 8 MB",
    about: "What Chrome recorded while it loaded a page: 30,000 events and more.",
    tool: "record_trace",
    source: "npm chrome-trace",
    licence: "MIT",
    text: () => file("chrome-trace", "test/fixtures/tracelogs/www.google.ru.json"),
  },
  {
    id: "page",
    title: "NASA",
    kind: "web page",
    about: "A page of NASA's Jet Propulsion Laboratory, as a fetch tool returns it.",
    tool: "fetch",
    source: "NASA/JPL, in npm htmlparser-benchmark",
    licence: "Work of the US government",
    text: () =>
      file("htmlparser-benchmark", "files/22c0f41ae560968de5e6b0ef9ecffffeae3f409aa73d9b82853f65535116f68f.html"),
  },
  {
    id: "document",
    title: "CommonMark",
    kind: "Markdown",
    about: "The specification of CommonMark: 200 KB of text with headings.",
    tool: "read_file",
    source: "John MacFarlane, in npm commonmark-spec",
    licence: "CC-BY-SA-4.0",
    text: () => file("commonmark-spec", "spec.txt"),
  },
];
