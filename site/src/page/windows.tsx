// The result in a model's context window: as the tool returned it, and as the model reads it, to one scale.

import type { Receipt } from "toolshape";
import { useState } from "preact/hooks";
import { number, share, tokens } from "./numbers.js";

const SIZES = [32_000, 128_000, 200_000, 1_000_000];

export function Windows({ receipt }: { readonly receipt: Receipt | undefined }) {
  const [size, setSize] = useState(128_000);
  const before = receipt?.tokensBefore ?? 0;
  const after = receipt?.tokensAfter ?? 0;
  const whole = Math.max(before, size);
  const about = receipt?.tokensBeforeExact === false ? "about " : "";
  return (
    <figure class="windows">
      <dl>
        <div>
          <dt>The tool returned</dt>
          <dd class={before > size ? "large over" : "large"} data-tokens-before={before}>
            {about}
            {tokens(before)}
          </dd>
          <dd>{share(before, size)}</dd>
        </div>
        <div>
          <dt>The model reads</dt>
          <dd class="large" data-tokens-after={after}>
            {tokens(after)}
          </dd>
          <dd>{share(after, size)}</dd>
        </div>
      </dl>
      <svg
        viewBox="0 0 1000 46"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${tokens(before)} before, ${tokens(after)} after, of a window of ${number(size)}`}
      >
        <rect class="room" x="0" y="0" width={(1000 * size) / whole} height="46" />
        <rect
          class={before > size ? "before over" : "before"}
          x="0"
          y="4"
          width={Math.max(before && 3, (1000 * before) / whole)}
          height="16"
        />
        <rect class="after" x="0" y="26" width={Math.max(after && 3, (1000 * after) / whole)} height="16" />
        <line class="limit" x1={(1000 * size) / whole} x2={(1000 * size) / whole} y1="0" y2="46" />
      </svg>
      <figcaption>
        <label>
          The dashed line is the end of a context window of{" "}
          <select value={String(size)} onChange={({ currentTarget }) => setSize(Number(currentTarget.value))}>
            {SIZES.map((one) => (
              <option key={one} value={String(one)}>
                {number(one)}
              </option>
            ))}
          </select>{" "}
          tokens.
        </label>
      </figcaption>
    </figure>
  );
}
