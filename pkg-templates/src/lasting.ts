// A relay in the core, which lives from call to call. Its state goes along to the next instance.

import { run, settle, unwrap, type Fault, type Instance } from "./core.js";
import { requestOf, requestOn, type Members, type Parts } from "./request.js";

/** One relay, in whichever instance of the core is current. */
export class Lasting {
  readonly #members: Members;
  /** The instance that it is in, and its number there. */
  #home: Instance | undefined;
  #number = 0;
  #state: string | undefined;
  readonly #unsettle: () => void;

  /** @throws {ToolshapeError} `INVALID_POLICY`. */
  constructor(members: Members) {
    this.#members = members;
    this.#run(() => null);
    this.#unsettle = settle({
      save: (from) => this.#save(from),
      leave: (from) => {
        if (this.#home === from) this.#home = undefined;
      },
    });
  }

  /** Calls one of its methods. */
  call<T>(method: string, members?: Members, parts?: Parts): T {
    const request = requestOf(members, parts);
    return this.#run((core, number) => core.call<T>(method, requestOn("relay", number, request)));
  }

  /** Runs a call of the core, in an instance that knows it by this number. */
  #run<T>(work: (core: Instance, number: number) => T | Fault): T {
    return run((core) => {
      if (this.#home !== core) {
        const members = this.#state === undefined ? this.#members : { ...this.#members, state: this.#state };
        this.#number = unwrap(core.call<number>("relay", requestOf(members)));
        this.#home = core;
      }
      return work(core, this.#number);
    });
  }

  /** Saves its state; false while it waits for something that is not part of it. */
  #save(from: Instance): boolean {
    if (this.#home !== from) return true;
    const state = unwrap(from.call<string | null>("relayState", requestOf({ relay: this.#number })));
    this.#state = state ?? this.#state;
    return state !== null;
  }

  /** Ends it: it is not used any more. */
  end(): void {
    this.#unsettle();
    if (this.#home !== undefined) this.#run((core, relay) => core.call("forgetRelay", requestOf({ relay })));
    [this.#home, this.#state] = [undefined, undefined];
  }
}
