// The second pane: what the model reads.

import { tokens } from "./numbers.js";
import { ResultText } from "./result_text.js";
import type { Session } from "./session.js";

interface Props {
  readonly session: Session;
  readonly isColoured: boolean;
  onColoured(isColoured: boolean): void;
}

export function Reading({ session: { core, shaped, isBusy, ask }, isColoured, onColoured }: Props) {
  return (
    <section class="pane reading" aria-labelledby="reading-title" aria-busy={isBusy}>
      <header>
        <h2 id="reading-title">What the model reads</h2>
        <p>
          <span role="status">
            {isBusy
              ? "shaping…"
              : shaped
                ? `${tokens(shaped.receipt.tokensAfter)} in ${Math.max(1, Math.round(shaped.receipt.durationMs))} ms`
                : ""}
          </span>
          {shaped?.isError && <span class="error">a refusal</span>}
          <label class="switch">
            <input
              type="checkbox"
              role="switch"
              checked={isColoured}
              onChange={({ currentTarget: { checked } }) => onColoured(checked)}
            />{" "}
            colour its tokens
          </label>
        </p>
      </header>
      {shaped && shaped.handle !== null && (
        <p class="notice">What is underlined can be called: click it, as a model would.</p>
      )}
      <div class="scroll" tabIndex={0} role="group" aria-label="The text that the model reads">
        {shaped && (
          <ResultText core={core} text={shaped.text} handle={shaped.handle} isColoured={isColoured} onAsk={ask} />
        )}
      </div>
      {shaped && shaped.otherBlocks > 0 && (
        <p class="notice">
          And {shaped.otherBlocks} {shaped.otherBlocks === 1 ? "block" : "blocks"} of no text, passed as it came.
        </p>
      )}
    </section>
  );
}
