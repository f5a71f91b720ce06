// A link that holds what the page shows: a sample or a small text, the tool's name and the policy, deflated, after the `#`.
// A browser sends nothing of it to a server.

import type { PolicyOptions } from "../protocol.js";

export interface Linked {
  readonly sample?: string;
  readonly text?: string;
  readonly tool?: string;
  readonly policy?: PolicyOptions;
}

/** Longer links are cut by what they are sent through. */
const LONGEST = 8000;

/** The part of a link after the `#`; undefined if it would be too long. */
export async function hashOf(linked: Linked): Promise<string | undefined> {
  if ((linked.text?.length ?? 0) > 100 * LONGEST) return undefined;
  const bytes = await piped(new Blob([JSON.stringify(linked)]), new CompressionStream("deflate-raw"));
  const text = btoa(String.fromCharCode(...bytes.slice(0, LONGEST)));
  return bytes.length * 4 > LONGEST * 3 ? undefined : text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** What a link holds; undefined if it holds nothing that this page made. */
export async function linkedBy(hash: string): Promise<Linked | undefined> {
  try {
    const binary = atob(hash.replace(/^#/, "").replaceAll("-", "+").replaceAll("_", "/"));
    if (binary === "") return undefined;
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const inflated = await piped(new Blob([bytes]), new DecompressionStream("deflate-raw"));
    return checked(JSON.parse(new TextDecoder().decode(inflated)) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

/** Of what a link says only what has the right type. */
function checked({ sample, text, tool, policy }: Record<string, unknown>): Linked {
  return {
    ...(typeof sample === "string" && { sample }),
    ...(typeof text === "string" && { text }),
    ...(typeof tool === "string" && { tool }),
    ...(typeof policy === "object" && policy !== null && { policy: policy as PolicyOptions }),
  };
}

async function piped(blob: Blob, through: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const stream = blob.stream().pipeThrough(through as unknown as ReadableWritablePair<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(stream as unknown as BodyInit).arrayBuffer());
}
