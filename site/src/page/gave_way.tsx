// What was left out: the core's explanation, and a small picture of which part of the original is in the result.

import type { Shaped } from "../protocol.js";
import { shownIn, type Shown } from "../reading/facts.js";
import { number } from "./numbers.js";

/** Cells of the picture; each represents as many rows, keys or lines as are needed. */
const CELLS = 100;

export function GaveWay({ shaped }: { readonly shaped: Shaped | undefined }) {
  if (shaped === undefined) return <div class="gave-way" />;
  const { explanation, text, unchanged } = shaped;
  const shown = unchanged ? undefined : shownIn(text);
  return (
    <figure class="gave-way">
      <figcaption>What was left out</figcaption>
      <ol class="steps" aria-label="Explanation">
        {explanation.split("\n").map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ol>
      {shown && <Picture shown={shown} />}
    </figure>
  );
}

function Picture({ shown }: { readonly shown: Shown }) {
  switch (shown.of) {
    case "rows":
      return (
        <>
          <Strip total={shown.total} shows={(at) => at >= shown.from && at < shown.to} />
          <p class="summary">
            Rows {number(shown.from + 1)} to {number(shown.to)} of {number(shown.total)}.{" "}
            {shown.shortened > 0
              ? `${number(shown.shortened)} large ${shown.shortened === 1 ? "value is" : "values are"} shortened.`
              : shown.omitted.length === 0 && "They are whole."}
          </p>
          {shown.omitted.length > 0 && <Fields kept={shown.fields} omitted={shown.omitted} />}
        </>
      );
    case "entries": {
      const indices = new Set(shown.indices);
      return (
        <>
          <Strip total={shown.total} shows={(at) => indices.has(at)} />
          <p class="summary">
            {number(indices.size)} of {number(shown.total)} entries, and what all of them come to.
          </p>
        </>
      );
    }
    case "lines": {
      const lines = new Set(shown.lines);
      return (
        <>
          <Strip total={shown.total} shows={(at) => lines.has(at + 1)} />
          <p class="summary">
            {number(lines.size)} of {number(shown.total)} lines, chosen by what they say.
          </p>
        </>
      );
    }
    case "characters":
      return (
        <>
          <Strip
            total={Math.min(shown.total, CELLS)}
            shows={(at) => at < Math.ceil((CELLS * shown.shown) / shown.total)}
          />
          <p class="summary">
            {number(shown.shown)} of {number(shown.total)} characters.
          </p>
        </>
      );
    case "keys":
      return (
        <p class="summary">
          Of {number(shown.total)} keys every small value is whole; {number(shown.shortened)} large ones are shortened.
        </p>
      );
    case "cells":
      return (
        <>
          <Cells picture={shown.picture} />
          <p class="summary">Every cell as a digit, as the model sees it, and the best ones in full.</p>
        </>
      );
  }
}

/** A strip from the original's start to its end; what the result shows is filled. */
function Strip({ total, shows }: { readonly total: number; shows(at: number): boolean }) {
  const cells = Math.min(total, CELLS);
  const filled: boolean[] = Array.from({ length: cells }, () => false);
  for (let at = 0; at < total; at++) if (shows(at)) filled[Math.floor((at * cells) / total)] = true;
  return (
    <svg class="strip" viewBox={`0 0 ${cells} 10`} preserveAspectRatio="none" aria-hidden="true">
      {filled.map((isFilled, at) => (
        <rect key={at} class={isFilled ? "shown" : "left"} x={at + 0.08} y="0" width="0.84" height="10" />
      ))}
    </svg>
  );
}

/** The digits of a grid's picture, as shades. */
function Cells({ picture }: { readonly picture: string }) {
  const rows = picture.split("\n").flatMap((line) => /^[^|]*\|(.*)$/u.exec(line)?.[1] ?? []);
  const width = Math.max(...rows.map((row) => row.length));
  return (
    <svg class="cells" viewBox={`0 0 ${width} ${rows.length}`} preserveAspectRatio="none" aria-hidden="true">
      {rows.flatMap((row, y) =>
        [...row].map((digit, x) =>
          digit === " " ? null : (
            <rect
              key={`${x} ${y}`}
              x={x}
              y={y}
              width="1.02"
              height="1.02"
              fill-opacity={digit === "*" ? 1 : 0.06 + Number(digit) / 10}
            />
          ),
        ),
      )}
    </svg>
  );
}

function Fields({ kept, omitted }: { readonly kept: readonly string[]; readonly omitted: readonly string[] }) {
  return (
    <p class="fields">
      {kept.map((name) => (
        <span key={name} class="kept">
          {name}
        </span>
      ))}
      {omitted.map((name) => (
        <s key={name}>{name}</s>
      ))}
    </p>
  );
}
