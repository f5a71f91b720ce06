// Where a result comes from: a sample, a file, or what one pastes.

import { useRef } from "preact/hooks";
import { bytes } from "./numbers.js";
import { samples, type Sample } from "./samples.js";

interface Props {
  readonly current: Sample | undefined;
  onSample(sample: Sample): void;
  onFile(file: File): void;
}

export function SampleBar({ current, onSample, onFile }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <nav class="samples" aria-label="Results to try">
      <p class="hint">Real results that others made. Or paste or drop your own anywhere on this page.</p>
      <ul>
        {samples.map((sample) => (
          <li key={sample.id}>
            <button
              type="button"
              data-sample={sample.id}
              aria-pressed={sample === current}
              title={`${sample.about} ${bytes(sample.bytes)}. ${sample.source}. ${sample.licence}.`}
              onClick={() => onSample(sample)}
            >
              {sample.title} <small>{sample.kind}</small>
            </button>
          </li>
        ))}
        <li>
          <button type="button" class="own" onClick={() => input.current?.click()}>
            Open a file…
          </button>
          <input
            ref={input}
            type="file"
            hidden
            aria-label="A file with a tool's result"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) onFile(file);
              currentTarget.value = "";
            }}
          />
        </li>
      </ul>
    </nav>
  );
}
