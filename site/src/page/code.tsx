// The code to copy: this policy in a server, or before one.

import { useMemo, useState } from "preact/hooks";
import { snippets } from "../policy/snippets.js";
import type { PolicyOptions } from "../protocol.js";

export function Code({ policy }: { readonly policy: PolicyOptions }) {
  const all = useMemo(() => snippets(policy), [policy]);
  const [at, setAt] = useState(0);
  const { name, install, files } = all[at] as (typeof all)[number];
  return (
    <section class="code" aria-labelledby="code-title">
      <h2 id="code-title">Put it into your server</h2>
      <div class="choices" role="group" aria-label="Language">
        {all.map((one, nth) => (
          <button key={one.name} type="button" aria-pressed={nth === at} onClick={() => setAt(nth)}>
            {one.name}
          </button>
        ))}
      </div>
      {name === "Any server" && (
        <p>Before a server that is not yours, in any language: nothing else about it changes.</p>
      )}
      {install && <Snippet title="install" code={install} />}
      {files.map(({ title, code }) => (
        <Snippet key={title} title={title} code={code} />
      ))}
    </section>
  );
}

function Snippet({ title, code }: { readonly title: string; readonly code: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard?.writeText(code).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  };
  return (
    <figure class="snippet">
      <figcaption>
        {title}{" "}
        <button type="button" class="plain" aria-label={`Copy: ${title}`} onClick={copy}>
          {isCopied ? "copied" : "copy"}
        </button>
      </figcaption>
      <pre tabIndex={0}>{code}</pre>
    </figure>
  );
}
