// Where the compiled core and the vocabularies come from: each entry of the package says, none asks.

import { ToolshapeError } from "./error.js";
import type { Encoding, Pattern } from "./types.js";

/** An encoding from a rank file. */
export interface RankFile {
  readonly ranks: Uint8Array;
  readonly pattern: Pattern;
}

let makeModule: (() => WebAssembly.Module) | undefined;
let compiled: WebAssembly.Module | undefined;
const vocabularies = new Map<Encoding, () => Uint8Array>();
const rankFiles = new Map<string, RankFile>();

/** Says where the module comes from, unless that is known; it is made at the first use. */
export function provideModule(make: () => WebAssembly.Module): void {
  makeModule ??= make;
}

/** Takes this module from now on, in place of any other. */
export function replaceModule(make: () => WebAssembly.Module): void {
  makeModule = make;
  compiled = undefined;
}

/** Says where the packed vocabulary of an encoding comes from. */
export function provideVocabulary(encoding: Encoding, packed: () => Uint8Array): void {
  if (!vocabularies.has(encoding)) vocabularies.set(encoding, packed);
}

/** Keeps the rank file of an encoding for every instance of the core to come. */
export function provideRanks(name: string, file: RankFile): void {
  rankFiles.set(name, file);
}

/** The compiled module, made once. */
export function theModule(): WebAssembly.Module {
  if (compiled === undefined) {
    if (makeModule === undefined) {
      throw new ToolshapeError("INVALID_CALL", "there is no module yet: call useModule first");
    }
    compiled = makeModule();
  }
  return compiled;
}

/** The encodings whose vocabularies are at hand, each with a way to its packed bytes. */
export function theVocabularies(): ReadonlyMap<Encoding, () => Uint8Array> {
  return vocabularies;
}

/** The encodings that were loaded, by their names. */
export function theRankFiles(): ReadonlyMap<string, RankFile> {
  return rankFiles;
}
