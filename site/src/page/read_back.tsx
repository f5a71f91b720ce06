// Is anything lost? Everything that is stored is read back by `read_result` alone, and compared.

import { useEffect, useState } from "preact/hooks";
import { CoreError } from "./core.js";
import { number, tokens } from "./numbers.js";
import type { Session } from "./session.js";

export function ReadBack({ session: { readingBack, readBack, source } }: { readonly session: Session }) {
  return (
    <div class="read-back">
      {readingBack === undefined ? (
        <button type="button" class="plain" onClick={readBack}>
          Is anything lost? Read everything back
        </button>
      ) : (
        <p role="status">{statusOf(readingBack)}</p>
      )}
      {readingBack && "content" in readingBack && (
        <Save
          content={readingBack.content}
          name={`${source?.sample?.id ?? "result"}.${readingBack.isJson ? "json" : "txt"}`}
        />
      )}
    </div>
  );
}

function statusOf(back: NonNullable<Session["readingBack"]>): string {
  if (back instanceof CoreError) return `It could not be read back: ${back.message}`;
  if (!("content" in back)) return `${number(back.calls)} calls…`;
  const { calls, mostTokens, isSame, isJson } = back;
  const same = isJson ? "the tool's JSON, byte for byte, without its white space" : "the tool's text, byte for byte";
  return `${number(calls)} ${calls === 1 ? "call" : "calls"} of read_result, no answer over ${tokens(mostTokens)}: ${isSame ? same : "not the same"}.`;
}

/** What came back, as a file. */
function Save({ content, name }: { readonly content: Blob; readonly name: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(content);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return address === undefined ? null : (
    <a href={address} download={name}>
      Save what came back
    </a>
  );
}
