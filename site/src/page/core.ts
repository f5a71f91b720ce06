// The page's side of the worker: requests and their answers.

import type { Fault, Name, Reply, Requests } from "../protocol.js";
import { HINT } from "./script.js";

/** What the worker refused, or could not do. */
export class CoreError extends Error {
  readonly code: string;
  readonly path: string;
  constructor({ code, message, path }: Fault) {
    super(message);
    [this.code, this.path] = [code, path];
  }
}

/** Whatever was thrown, as a fault that the page can say. */
export function coreError(error: unknown): CoreError {
  return error instanceof CoreError
    ? error
    : new CoreError({ code: "", message: error instanceof Error ? error.message : String(error), path: "" });
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  onProgress: ((progress: number) => void) | undefined;
}

declare global {
  /** The worker's script, which `core.js` sets. A worker cannot be loaded from a file, so it is made from this text. */
  var toolshapeCore: string | undefined;
}

export class Core {
  #worker: Promise<Worker> | undefined;
  #count = 0;
  readonly #waiting = new Map<number, Waiting>();

  async ask<N extends Name>(
    name: N,
    args: Requests[N]["args"],
    onProgress?: (progress: number) => void,
  ): Promise<Requests[N]["answer"]> {
    const worker = await (this.#worker ??= this.#start());
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, onProgress });
      worker.postMessage({ id, name, args });
    });
  }

  async #start(): Promise<Worker> {
    const source = new Blob([await script], { type: "text/javascript" });
    const worker = new Worker(URL.createObjectURL(source));
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      const waiting = this.#waiting.get(data.id);
      if ("progress" in data) return waiting?.onProgress?.(data.progress);
      this.#waiting.delete(data.id);
      if ("fault" in data) waiting?.reject(new CoreError(data.fault));
      else waiting?.resolve(data.value);
    };
    worker.onerror = (event) => {
      // The next request starts another worker.
      this.#worker = undefined;
      worker.terminate();
      const message = `The worker ended: ${event.message || "it could not be started"}. ${HINT}`;
      for (const { reject } of this.#waiting.values()) reject(new CoreError({ code: "WORKER", message, path: "" }));
      this.#waiting.clear();
    };
    return worker;
  }
}

/** The worker's script, once it is loaded. The page's own script runs before, and hears of it from the start. */
const script = new Promise<string>((resolve, reject) => {
  const element = document.getElementById("core") as HTMLScriptElement;
  element.addEventListener("load", () => resolve(globalThis.toolshapeCore as string));
  element.addEventListener("error", () =>
    reject(new CoreError({ code: "CORE", message: `core.js cannot be loaded. ${HINT}`, path: "" })),
  );
});
// Who asks hears of the failure.
script.catch(() => undefined);
