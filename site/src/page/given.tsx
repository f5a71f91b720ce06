// The first pane: what the tool returned.

import { useEffect, useRef, useState } from "preact/hooks";
import { Editor } from "./editor.js";
import { bytes } from "./numbers.js";
import type { Shaped } from "../protocol.js";
import type { Session } from "./session.js";

interface Props {
  readonly session: Session;
  onText(text: string): void;
  /** A link to what the page shows; undefined where it would be too long. */
  link(): Promise<string | undefined>;
}

/** How long nobody types before the result is shaped again, in milliseconds. */
const PAUSE = 250;

export function Given({ session: { source, tool, shaped, change }, onText, link }: Props) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | undefined>(undefined);
  const typing = useRef(0);
  const handlers = useRef({ onText });
  handlers.current = { onText };

  useEffect(() => {
    const late = (text: string): void => {
      clearTimeout(typing.current);
      typing.current = window.setTimeout(() => handlers.current.onText(text), PAUSE);
    };
    editor.current = new Editor(parent.current as HTMLElement, {
      onText: late,
      onPasted: (text) => handlers.current.onText(text),
    });
    return () => editor.current?.destroy();
  }, []);
  useEffect(() => source && editor.current?.show(source.shown, source.isWhole), [source]);

  return (
    <section class="pane given" aria-labelledby="given-title">
      <header>
        <h2 id="given-title">What the tool returned</h2>
        <p>
          <label>
            by{" "}
            <input
              class="tool"
              type="text"
              value={tool}
              spellcheck={false}
              aria-label="The tool's name"
              size={Math.max(8, tool.length)}
              onInput={({ currentTarget: { value } }) => change({ tool: value })}
            />
          </label>
          {source && <span>{bytes(source.bytes)}</span>}
          {shaped?.takenFor === "result" && <span>a whole CallToolResult</span>}
          <button type="button" class="plain own" onClick={() => (onText(""), editor.current?.focus())}>
            Write your own
          </button>
        </p>
      </header>
      {source && !source.isWhole && (
        <p class="notice">All {bytes(source.bytes)} are shaped; only the beginning is shown here.</p>
      )}
      <div class="editor" ref={parent} />
      <footer>
        {source?.sample ? (
          <p class="source">
            {source.sample.about} <cite>{source.sample.source}</cite> {source.sample.licence}.
          </p>
        ) : (
          <p class="source">JSON, a text, or a whole result with its content blocks.</p>
        )}
        <LinkButton link={link} shaped={shaped} />
      </footer>
    </section>
  );
}

interface LinkProps {
  link(): Promise<string | undefined>;
  readonly shaped: Shaped | undefined;
}

/** What it says of a link holds for the result that is shown, and goes with it. */
function LinkButton({ link, shaped }: LinkProps) {
  const [status, say] = useState<{ readonly of: Shaped | undefined; readonly text: string }>();
  const copy = async (): Promise<void> => {
    const setSaid = (text: string): void => say({ of: shaped, text });
    const address = await link();
    if (address === undefined) return setSaid("Too large for a link.");
    // Without the right to the clipboard the address bar has the link.
    const isCopied = await navigator.clipboard?.writeText(address).then(
      () => true,
      () => false,
    );
    setSaid(isCopied ? "Copied." : "The address bar has the link.");
  };
  return (
    <p class="link">
      <button type="button" class="plain" onClick={() => void copy()}>
        Copy a link to this
      </button>{" "}
      <span role="status">{status?.of === shaped ? status?.text : ""}</span>
    </p>
  );
}
