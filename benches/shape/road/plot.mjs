/** The main road as a picture that is read on light and dark pages. */
import { View, parse } from "vega";
import { compile } from "vega-lite";
import { median } from "../figures.mjs";
import { WORKS, overParts } from "./figures.mjs";
import { SIZES } from "./rows.mjs";

/** What is drawn in these colours on a light page has others on a dark one. */
const INK = { paper: "#ffffff", text: "#1f2328", line: "#8c959f", grid: "#d8dee4" };
const DARK = { paper: "#0d1117", text: "#e6edf3", line: "#7d8590", grid: "#30363d" };
const SERVERS = {
  domain: ["naive", "shaped", "shaped, no store", "careful handler", "ResponseLimiting"],
  range: ["#8c6d5a", "#2f81f7", "#79b8ff", "#d29922", "#bf6fd6"],
};
const STORES = {
  domain: ["no store", "memory", "folder", "Redis"],
  range: ["#79b8ff", "#2f81f7", "#3fb950", "#e5534b"],
};
const MOST = 1.2;

export async function plot(faces) {
  const calls = Object.values(faces)
    .flatMap(({ calls }) => calls)
    .flatMap(({ sdk, transport, size, milliseconds }) =>
      Object.entries(milliseconds).map(([server, samples]) => ({
        sdk,
        transport,
        size,
        server,
        milliseconds: median(samples),
      })),
    );
  const road = Object.entries(faces).flatMap(([face, { parts, stores }]) =>
    parts.flatMap(({ size, milliseconds }) =>
      ["no store", ...stores].flatMap((store) =>
        WORKS.map((work) => ({
          face: `${face}, ${size}`,
          work,
          store,
          ratio: overParts(milliseconds, work, store)?.middle,
        })),
      ),
    ),
  );
  const sdks = [...new Set(calls.map(({ sdk }) => sdk))];
  const { spec } = compile({
    background: INK.paper,
    config: {
      axis: {
        labelColor: INK.text,
        titleColor: INK.text,
        domainColor: INK.line,
        tickColor: INK.line,
        gridColor: INK.grid,
        labelLimit: 300,
      },
      header: { labelColor: INK.text, titleColor: INK.text },
      legend: { labelColor: INK.text, titleColor: INK.text },
      title: { color: INK.text },
      view: { stroke: INK.grid },
    },
    resolve: { scale: { color: "independent" } },
    vconcat: [
      {
        title: "One call, from the client",
        data: { values: calls },
        facet: {
          column: { field: "sdk", type: "nominal", title: null, sort: sdks },
          row: { field: "transport", type: "nominal", title: null, sort: ["stdio", "http"] },
        },
        spec: {
          width: 150,
          height: 150,
          mark: { type: "line", point: true },
          encoding: {
            x: { field: "size", type: "ordinal", sort: Object.keys(SIZES), title: null, axis: { labelAngle: 0 } },
            y: { field: "milliseconds", type: "quantitative", scale: { type: "log" } },
            color: { field: "server", type: "nominal", title: null, scale: SERVERS },
          },
        },
      },
      {
        title: "A call over the sum of its parts",
        data: { values: road.filter(({ ratio }) => ratio !== undefined) },
        facet: { column: { field: "face", type: "nominal", title: null, sort: null } },
        spec: {
          width: 160,
          layer: [
            {
              mark: { type: "point", filled: true, size: 60, opacity: 1 },
              encoding: {
                x: { field: "ratio", type: "quantitative", scale: { domainMin: 0 }, title: null },
                y: { field: "work", type: "nominal", sort: WORKS, title: null },
                color: { field: "store", type: "nominal", title: null, scale: STORES },
              },
            },
            {
              mark: { type: "rule", color: INK.line, strokeDash: [4, 4] },
              encoding: { x: { datum: MOST, type: "quantitative" } },
            },
          ],
        },
      },
    ],
  });
  return dimmed(await new View(parse(spec), { renderer: "none" }).toSVG());
}

/** The picture with its colours for dark pages. */
function dimmed(svg) {
  const rules = Object.entries(INK).flatMap(([name, light]) =>
    ["fill", "stroke"].map((ink) => `[${ink}="${light}"]{${ink}:${DARK[name]}}`),
  );
  return svg.replace(">", `><style>@media (prefers-color-scheme: dark){${rules.join("")}}</style>`);
}
