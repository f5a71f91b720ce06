// Plots of recorded measurements, as SVG in the colours of the page.

import { View, parse, textMetrics } from "vega";
import { compile } from "vega-lite";
import { escape } from "./markdown.mjs";

const COLOURS = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)"];
const SHAPES = ["circle", "square", "diamond", "triangle-up"];
const MARKS = ["M6 2a4 4 0 1 0 .01 0z", "M2.5 2.5h7v7h-7z", "M6 1 11 6 6 11 1 6z", "M6 1.5 11 10H1z"];
/** Narrow enough for a plot with its row names on a screen of 360 pixels. */
const WIDTH = 190;
const WANTED = 1.2;
/** How the titles of the tables about parts begin. */
const PARTS = "Parts of a call, ";

const CONFIG = {
  font: "system-ui, sans-serif",
  axis: {
    labelColor: "var(--soft)",
    titleColor: "var(--soft)",
    titleFontWeight: 400,
    domainColor: "var(--soft)",
    tickColor: "var(--soft)",
    gridColor: "var(--line)",
    labelLimit: 0,
    labelFontSize: 12,
    titleFontSize: 12,
  },
  title: { color: "var(--ink)", fontSize: 13, fontWeight: 600, anchor: "start", frame: "group" },
  view: { stroke: "var(--line)" },
};

/** Without a screen vega overestimates the width of letters and reserves too much space. */
textMetrics.width = ({ fontSize = 12 }, text) => 0.57 * fontSize * String(text ?? "").length;

/** Plots, by the title of the table that they follow. */
export const PLOTS = {
  "Parts of a call, Node, 350 KB": overParts,
  "One call, from the client": oneCall,
  "Sixteen clients at once, over HTTP": crowd,
  "From a request to its answer": relayed,
  "Messages a second": messages,
  Memory: memory,
};

/** The HTML of a plot of recorded tables. */
export async function draw(plot, tables) {
  const {
    caption,
    legend = [],
    panels,
  } = plot(tables.map(({ rows, ...about }) => ({ ...about, rows: rows.map((row) => objectOf(about.columns, row)) })));
  const drawn = await Promise.all(
    panels.map(async ({ title, about, spec }) => {
      const { spec: compiled } = compile({ background: null, config: CONFIG, title, width: WIDTH, ...spec });
      const svg = await new View(parse(compiled), { renderer: "none" }).toSVG();
      // One picture with one name: the numbers are in the table.
      return svg
        .replace(/ (?:role|aria-\w+)="[^"]*"/g, "")
        .replace("<svg", `<svg role="img" aria-label="${escape(`${title}: ${about}`)}"`);
    }),
  );
  const keys = legend.map(
    (name, at) =>
      `<li><svg width="12" height="12" aria-hidden="true"><path d="${MARKS[at]}" fill="${COLOURS[at]}"/></svg> ${escape(name)}</li>`,
  );
  return `<figure class="plot"><figcaption>${escape(caption)}</figcaption>${keys.length > 0 ? `<ul class="legend">${keys.join("")}</ul>` : ""}<div class="panels">${drawn.join("")}</div></figure>`;
}

function oneCall(tables) {
  const { columns, rows } = table(tables, "One call, from the client");
  const contenders = columns.filter((name) => name.endsWith(", over naive"));
  const names = contenders.map((name) => name.replace(", over naive", ""));
  const values = rows.flatMap((row) =>
    contenders.flatMap((column, at) =>
      points(row[column], { server: row.server, call: `${row.size}, ${row.transport}`, contender: names[at] }),
    ),
  );
  // All panels have one scale, so that they can be compared.
  const domain = [Math.min(...values.map(({ low }) => low)), Math.max(...values.map(({ high }) => high))];
  return {
    caption:
      "One call from the client, over the naive server: left of the line it takes less time. The bars are the middle half of the rounds; the times themselves are in the table “One call, from the client”.",
    legend: names,
    panels: groups(values, "server").map(([server, values]) => ({
      title: server,
      about: `time of a call over that of the naive server; shaped, ${described(
        values.filter(({ contender }) => contender === "shaped"),
        "call",
      )}`,
      spec: dots(values, {
        y: "call",
        colour: "contender",
        names,
        x: "over the naive server",
        scale: { type: "log", domain, nice: false },
        rule: 1,
      }),
    })),
  };
}

function overParts(tables) {
  const found = tables.filter(({ title }) => title.startsWith(PARTS));
  const names = found[0].columns.slice(1);
  const most = Math.max(
    ...found.flatMap(({ rows }) => rows.flatMap((row) => names.map((store) => row[store]?.ratio ?? 0))),
  );
  return {
    caption: "A call over the sum of its parts, by store; the dashed line is the target.",
    legend: names,
    panels: found.map(({ title, rows }) => {
      const values = rows.flatMap((row) =>
        names.flatMap((store) => points(row[store]?.ratio, { work: row.work, store })),
      );
      return {
        title: title.slice(PARTS.length),
        about: `processor time of a call over the sum of its parts; in memory, ${described(
          values.filter(({ store }) => store === "memory"),
          "work",
        )}`,
        spec: dots(values, {
          y: "work",
          colour: "store",
          names,
          x: "over its parts",
          scale: { domain: [0, most] },
          rule: WANTED,
          dashed: true,
        }),
      };
    }),
  };
}

function crowd(tables) {
  const { rows } = table(tables, "Sixteen clients at once, over HTTP");
  const names = ["naive", "shaped"];
  const panel = (column, x) => {
    const values = rows.flatMap((row) => points(row[column], { server: row.server, variant: row.variant }));
    return {
      title: column,
      about: described(values, "server", "variant"),
      spec: bars(values, { y: "server", colour: "variant", names, x }),
    };
  };
  return {
    caption: "Sixteen clients that call one server without a pause, results of 350 KB.",
    legend: names,
    panels: [panel("calls a second", "more is better"), panel("median, ms", "less is better")],
  };
}

function relayed(tables) {
  const { columns, rows } = table(tables, "From a request to its answer");
  const names = columns.filter((name) => name !== "contender" && name !== "99 %");
  const values = rows
    .filter((row) => row.contender !== "the pipe alone")
    .flatMap((row) => names.flatMap((message) => points(row[message], { contender: row.contender, message })));
  return {
    caption: "What each adds to the pipe alone, in milliseconds; the bars are the middle half of the rounds.",
    legend: names,
    panels: [
      {
        title: "Milliseconds more",
        about: described(values, "contender", "message"),
        spec: dots(values, {
          y: "contender",
          colour: "message",
          names,
          x: "milliseconds (log)",
          scale: { type: "log" },
        }),
      },
    ],
  };
}

function messages(tables) {
  const { columns, rows } = table(tables, "Messages a second");
  const names = ["the pipe alone", "native", "node"];
  const values = columns
    .slice(1)
    .flatMap((way) =>
      rows
        .filter((row) => names.includes(row.contender))
        .flatMap((row) => points(row[way], { way, contender: row.contender })),
    );
  return {
    caption: "Messages a second through the relay’s pumps and through the pipe alone.",
    legend: names,
    panels: [
      {
        title: "Messages a second",
        about: described(values, "way", "contender"),
        spec: dots(values, {
          y: "way",
          colour: "contender",
          names,
          x: "a second (log)",
          scale: { type: "log" },
          format: "~s",
        }),
      },
    ],
  };
}

function memory(tables) {
  const { rows } = table(tables, "Memory");
  const names = ["peak, MB", "before, MB"];
  const values = rows
    .filter(({ line }) => line === "a result")
    .flatMap((row) => names.flatMap((when) => points(row[when], { contender: row.contender, when })));
  return {
    caption:
      "Resident memory in MB of each contender in front of a server whose result is one line of 100 MB: before it, and at its peak. A contender without an answer has no bar.",
    legend: names,
    panels: [
      {
        title: "Megabytes",
        about: described(values, "contender", "when"),
        spec: bars(values, { y: "contender", colour: "when", names, x: "less is better" }),
      },
    ],
  };
}

/** Points with the middle half of their rounds as bars, by rows. */
function dots(values, { y, colour, names, x, scale, rule, dashed, format = "~g" }) {
  const place = {
    y: { field: y, type: "nominal", sort: null, title: null, axis: { grid: true } },
    yOffset: { field: colour, sort: names },
  };
  const ink = { field: colour, type: "nominal", legend: null, scale: { domain: names, range: COLOURS } };
  const across = (field) => ({ field, type: "quantitative", scale, title: x, axis: { tickCount: 4, format } });
  return {
    height: { step: Math.max(6, 30 / names.length) },
    data: { values },
    layer: [
      ...(rule === undefined
        ? []
        : [
            {
              mark: { type: "rule", color: "var(--soft)", ...(dashed && { strokeDash: [4, 3] }) },
              encoding: { x: { datum: rule, type: "quantitative" } },
            },
          ]),
      {
        mark: { type: "rule", strokeWidth: 2, opacity: 0.55 },
        encoding: { ...place, x: across("low"), x2: { field: "high" }, color: ink },
      },
      {
        mark: { type: "point", filled: true, size: 46, opacity: 1 },
        encoding: {
          ...place,
          x: across("middle"),
          color: ink,
          shape: { field: colour, type: "nominal", legend: null, scale: { domain: names, range: SHAPES } },
        },
      },
    ],
  };
}

/** Bars from zero, by rows. */
function bars(values, { y, colour, names, x }) {
  return {
    height: { step: 12 },
    data: { values },
    mark: { type: "bar", cornerRadiusEnd: 2 },
    encoding: {
      y: { field: y, type: "nominal", sort: null, title: null },
      yOffset: { field: colour, sort: names },
      x: { field: "middle", type: "quantitative", title: x, axis: { tickCount: 4 } },
      color: { field: colour, type: "nominal", legend: null, scale: { domain: names, range: COLOURS } },
    },
  };
}

/** A row as an object: cells by the names of their columns, the first where two have one name. */
function objectOf(columns, row) {
  return Object.fromEntries(columns.map((name, at) => [name, row[at]]).reverse());
}

/** A cell as a point with its range, if it has a number. */
function points(cell, about) {
  const { value, low = value, high = value } = typeof cell === "object" ? (cell ?? {}) : { value: cell };
  return typeof value === "number" ? [{ ...about, middle: value, low, high }] : [];
}

function table(tables, title) {
  const found = tables.find((each) => each.title === title);
  if (!found) throw new Error(`no table “${title}”, which a plot draws`);
  return found;
}

function groups(values, field) {
  return [...new Set(values.map((value) => value[field]))].map((name) => [
    name,
    values.filter((value) => value[field] === name),
  ]);
}

/** The numbers of a plot in words, for screen readers. */
function described(values, ...fields) {
  return values.map((value) => `${fields.map((field) => value[field]).join(", ")} ${value.middle}`).join("; ");
}
