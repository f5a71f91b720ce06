// Something that lives in the core from call to call, such as a relay. Its state goes along to the next instance.

import { run, settle, unwrap, type Fault, type Instance } from "./core.js";
import { requestOf, requestOn, type Members, type Parts } from "./request.js";

/** What the core creates and names by a number, by the name of the methods that create it. */
export type Owner = "relay" | "http";

/** One of them, in whichever instance of the core is current. */
export class Lasting {
  readonly #owner: Owner;
  readonly #members: Members;
  /** The instance that it is in, and its number there. */
  #home: Instance | undefined;
  #number = 0;
  #state: string | undefined;
  readonly #unsettle: () => void;

  /** @throws {ToolshapeError} `INVALID_POLICY`. */
  constructor(owner: Owner, members: Members) {
    [this.#owner, this.#members] = [owner, members];
    this.run(() => null);
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
    return this.run((core, number) => core.call<T>(method, requestOn(this.#owner, number, request)));
  }

  /** Runs a call of the core, in an instance that knows it by this number. */
  run<T>(work: (core: Instance, number: number) => T | Fault): T {
    return run((core) => {
      if (this.#home !== core) {
        const members = this.#state === undefined ? this.#members : { ...this.#members, state: this.#state };
        this.#number = unwrap(core.call<number>(this.#owner, requestOf(members)));
        this.#home = core;
      }
      return work(core, this.#number);
    });
  }

  /** Saves its state before work that its instance may not survive. */
  save(): void {
    this.run((core) => this.#save(core));
  }

  /** Saves its state; false while it waits for something that is not part of it. */
  #save(from: Instance): boolean {
    if (this.#home !== from) return true;
    const request = requestOf({ [this.#owner]: this.#number });
    const state = unwrap(from.call<string | null>(`${this.#owner}State`, request));
    this.#state = state ?? this.#state;
    return state !== null;
  }

  /** Ends it: it is not used any more. */
  end(): void {
    this.#unsettle();
    const forget = this.#owner === "relay" ? "forgetRelay" : "forgetHttp";
    if (this.#home !== undefined) this.run((core, number) => core.call(forget, requestOf({ [this.#owner]: number })));
    [this.#home, this.#state] = [undefined, undefined];
  }
}
