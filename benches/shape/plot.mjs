/** The times as a picture: how they grow with the rows, and what each work takes. */
import { View, parse } from "vega";
import { compile } from "vega-lite";
import { median } from "./figures.mjs";

export async function plot(faces) {
  const values = Object.entries(faces).flatMap(([face, { times }]) =>
    times.flatMap(({ work, milliseconds }) =>
      Object.entries(milliseconds)
        .filter(([contender]) => !contender.includes(", "))
        .map(([contender, samples]) => ({
          face: face === "node" ? "Node" : "Python",
          work,
          contender,
          milliseconds: median(samples),
          rows: rowsOf(work),
        })),
    ),
  );
  const time = { field: "milliseconds", type: "quantitative", scale: { type: "log" }, title: "milliseconds" };
  // toolshape comes first in every work, and so takes the first colour.
  const names = [...new Set(values.map(({ contender }) => contender))];
  const contender = { field: "contender", type: "nominal", title: null, scale: { scheme: "tableau20", domain: names } };
  const facet = { field: "face", type: "nominal", title: null };
  const { spec } = compile({
    data: { values },
    background: "white",
    config: { axis: { labelLimit: 400 }, legend: { labelLimit: 400 } },
    vconcat: [
      {
        title: "A page of 20 rows, by the length of the list",
        transform: [{ filter: "datum.rows !== null" }],
        facet: { column: facet },
        spec: {
          width: 380,
          height: 260,
          mark: { type: "line", point: true },
          encoding: { x: { field: "rows", type: "quantitative", scale: { type: "log" } }, y: time, color: contender },
        },
      },
      {
        title: "Time to the shaped result",
        facet: { column: facet },
        spec: {
          width: 380,
          mark: { type: "point", filled: true, size: 70 },
          encoding: { x: time, y: { field: "work", type: "nominal", sort: null, title: null }, color: contender },
        },
      },
    ],
  });
  return new View(parse(spec), { renderer: "none" }).toSVG();
}

function rowsOf(work) {
  return work.endsWith(" rows") ? Number(work.replace(/[, rows]/g, "")) : null;
}
