// What a result says about itself: how much of what it shows. The picture of what was left out is drawn from this alone.

export type Shown =
  | {
      readonly of: "rows";
      readonly total: number;
      readonly from: number;
      readonly to: number;
      readonly fields: readonly string[];
      readonly omitted: readonly string[];
      readonly shortened: number;
    }
  | { readonly of: "keys"; readonly total: number; readonly shortened: number }
  | { readonly of: "entries"; readonly total: number; readonly indices: readonly number[] }
  | { readonly of: "cells"; readonly picture: string }
  | { readonly of: "lines"; readonly total: number; readonly lines: readonly number[] }
  | { readonly of: "characters"; readonly total: number; readonly shown: number };

type Members = Readonly<Record<string, unknown>>;

/** The part of the original that is in a result; undefined if it does not say. */
export function shownIn(text: string): Shown | undefined {
  const value = parsed(text);
  if (value === undefined) return undefined;
  const page = isMembers(value["_page"]) ? value["_page"] : value["paginated"] === true ? value : undefined;
  if (page !== undefined) return rows(value, page);
  if (value["kind"] === "grid" && typeof value["asciiSummary"] === "string")
    return { of: "cells", picture: value["asciiSummary"] };
  const { indices, lines, totalItems, totalLines, totalChars, preview } = value;
  if (Array.isArray(indices)) return { of: "entries", total: Number(totalItems), indices: indices as number[] };
  if (Array.isArray(lines) && typeof totalLines === "number")
    return { of: "lines", total: totalLines, lines: placesOf(lines, value["tail"]) };
  if (typeof value["excerpt"] === "string" && typeof totalLines === "number")
    return { of: "lines", total: totalLines, lines: linesOf(String(preview), value["excerpt"]) };
  if (typeof totalChars === "number")
    return { of: "characters", total: totalChars, shown: typeof preview === "string" ? preview.length : 0 };
  if (value["_summarized"] === true)
    return { of: "keys", total: Number(value["_totalKeys"]), shortened: Number(value["_truncatedKeys"] ?? 0) };
  return undefined;
}

function rows(value: Members, page: Members): Shown {
  const total = Number(page["totalItems"]);
  const { items } = value;
  // The dense form is a table.
  const { columns, rows } = isMembers(items) && Array.isArray(items["rows"]) ? items : value;
  const shown: unknown[] | undefined = Array.isArray(items)
    ? items
    : Array.isArray(rows)
      ? rows
      : isMembers(items)
        ? Object.values(items)
        : undefined;
  const size = Number(page["returned"] ?? shown?.length ?? page["pageSize"]);
  const from = Math.min(total, (Number(page["page"] ?? 1) - 1) * Number(page["pageSize"] ?? size));
  const first: unknown = shown?.[0];
  const named = (column: unknown): string[] => (isMembers(column) ? Object.keys(column) : [String(column)]);
  const fields = Array.isArray(columns) ? columns.flatMap(named) : isMembers(first) ? Object.keys(first) : [];
  const omitted = (value["omittedFields"] ?? value["_omittedFields"] ?? []) as string[];
  const elisions = (value["elisions"] ?? value["_elisions"] ?? []) as unknown[];
  const shortened = elisions.length + Number(value["moreElisions"] ?? value["_moreElisions"] ?? 0);
  return { of: "rows", total, from, to: Math.min(total, from + size), fields, omitted, shortened };
}

/** The numbers of the lines that are shown. */
function placesOf(lines: readonly unknown[], tail: unknown): number[] {
  const places: number[] = [];
  for (const entry of [...lines, tail]) {
    if (!isMembers(entry) || typeof entry["line"] !== "number") continue;
    const count = String(entry["text"]).split("\n").length;
    for (let at = 0; at < count; at++) places.push(entry["line"] + at);
  }
  return places;
}

/** The same of a text in whose excerpt lines after others that are left out have their numbers. */
function linesOf(preview: string, excerpt: string): number[] {
  const places = Array.from({ length: preview.split("\n").length - 1 }, (_, at) => at + 1);
  let line = places.length + 1;
  for (const shown of excerpt.split("\n")) {
    const number = /^…(\d+): /.exec(shown)?.[1];
    if (number !== undefined) line = Number(number);
    if (shown !== "…") places.push(line++);
  }
  return places;
}

function parsed(text: string): Members | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
