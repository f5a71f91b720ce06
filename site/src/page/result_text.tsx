// A text as a model reads it, to the byte: broken into lines for the eye, with what can be called to click on, and with its
// tokens coloured one by one if that is wanted.

import { useEffect, useMemo, useState } from "preact/hooks";
import { offersOf, type Args, type Offer } from "../reading/calls.js";
import { treeOf, type Node } from "../reading/json_tree.js";
import { linesOf, type Line } from "../reading/lines.js";
import type { Core } from "./core.js";

interface Props {
  readonly core: Core;
  readonly text: string;
  readonly handle: string | null;
  /** The call that this answers; undefined for a tool's result. */
  readonly asked?: Args;
  readonly isColoured: boolean;
  onAsk(args: Args): void;
}

/** The most characters that are drawn; a browser takes long for more. */
const DRAWN = 150_000;

export function ResultText({ core, text, handle, asked, isColoured, onAsk }: Props) {
  const { lines, offers, keys } = useMemo(() => {
    const tree = treeOf(text);
    return {
      lines: linesOf(text, tree),
      offers: offersOf(text, tree, handle, asked),
      keys: tree === undefined ? [] : keysOf(tree),
    };
  }, [text, handle, asked]);
  const ends = useTokenEnds(core, text, isColoured);
  const drawn = lines.filter(({ start }) => start < DRAWN);
  return (
    <div class="text">
      {drawn.map((line) => (
        <div class="line" key={line.start} style={`--indent:${Math.min(line.indent, 12)}`}>
          {partsOf(line, offers).map(({ start, end, offer }) => {
            const inside = ends ? tokensIn(text, start, end, ends) : keysIn(text, start, end, keys);
            return offer === undefined ? inside : <Call key={start} offer={offer} onAsk={onAsk} inside={inside} />;
          })}
        </div>
      ))}
      {drawn.length < lines.length && <p class="notice">The rest is not drawn.</p>}
    </div>
  );
}

function Call({ offer, inside, onAsk }: { readonly offer: Offer; readonly inside: unknown; onAsk(args: Args): void }) {
  const ask = (): void => onAsk(offer.args);
  return (
    <span
      class="call"
      role="button"
      tabIndex={0}
      title={`${offer.what}: read_result ${JSON.stringify(offer.args)}`}
      onClick={() => getSelection()?.isCollapsed !== false && ask()}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        ask();
      }}
    >
      {inside as preact.ComponentChildren}
    </span>
  );
}

/** A line divided at its offers. */
function partsOf({ start, end }: Line, offers: readonly Offer[]): { start: number; end: number; offer?: Offer }[] {
  const parts: { start: number; end: number; offer?: Offer }[] = [];
  let at = start;
  for (const offer of offers) {
    const [from, to] = [Math.max(offer.start, start), Math.min(offer.end, end)];
    if (from >= to) continue;
    if (from > at) parts.push({ start: at, end: from });
    parts.push({ start: from, end: to, offer });
    at = to;
  }
  if (at < end) parts.push({ start: at, end });
  return parts;
}

type Range = { readonly start: number; readonly end: number };

/** The places of all keys, in their order. */
function keysOf(tree: Node): Range[] {
  const keys: Range[] = [];
  const walk = (node: Node): void => {
    for (const { key, value } of node.entries) {
      if (key) keys.push(key);
      walk(value);
    }
  };
  walk(tree);
  return keys;
}

function keysIn(text: string, start: number, end: number, keys: readonly Range[]) {
  const parts: preact.ComponentChildren[] = [];
  let at = start;
  for (let nth = firstFrom(keys.length, (nth) => (keys[nth] as Range).start >= start); nth < keys.length; nth++) {
    const key = keys[nth] as Range;
    if (key.start >= end) break;
    parts.push(text.slice(at, key.start), <span class="key">{text.slice(key.start, Math.min(key.end, end))}</span>);
    at = Math.min(key.end, end);
  }
  parts.push(text.slice(at, end));
  return parts;
}

/** Colours follow each other, so that tokens side by side differ. */
const COLOURS = 5;

function tokensIn(text: string, start: number, end: number, ends: Uint32Array) {
  const parts: preact.ComponentChildren[] = [];
  let at = start;
  for (let nth = firstFrom(ends.length, (nth) => (ends[nth] as number) > start); at < end && nth < ends.length; nth++) {
    const to = Math.min(ends[nth] as number, end);
    if (to === at) continue;
    parts.push(<span class={`token p${nth % COLOURS}`}>{text.slice(at, to)}</span>);
    at = to;
  }
  return parts;
}

/** The first place from which something holds. */
function firstFrom(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where tokens end, once the worker has computed it. */
function useTokenEnds(core: Core, text: string, isWanted: boolean): Uint32Array | undefined {
  const [known, setKnown] = useState<{ text: string; ends: Uint32Array }>();
  useEffect(() => {
    if (!isWanted || known?.text === text) return;
    core.ask("tokenEnds", [text]).then(
      (ends) => setKnown({ text, ends }),
      // Without them the text is drawn as it is.
      () => undefined,
    );
  }, [core, text, isWanted]);
  return isWanted && known?.text === text ? known.ends : undefined;
}
