// Where the compiled core and the vocabularies come from. Each entry point of the package registers its own source.

import { ToolshapeError } from "./error.js";
import type { Encoding, Pattern } from "./types.js";

/** An encoding from a rank file. */
export interface RankFile {
  readonly ranks: Uint8Array;
  readonly pattern: Pattern;
}

let makeModule: (() => WebAssembly.Module) | undefined;
let compiled: WebAssembly.Module | undefined;
let loadSql: (() => Promise<() => WebAssembly.Module>) | undefined;
let compiledSql: WebAssembly.Module | undefined;
const vocabularies = new Map<Encoding, () => Uint8Array>();
const rankFiles = new Map<string, RankFile>();

/** Registers the source of the module, unless there is one; the module is compiled at the first use. */
export function provideModule(make: () => WebAssembly.Module): void {
  makeModule ??= make;
}

/** Registers what loads the module that answers in SQL, unless there is one; it is loaded at the first question. */
export function provideSql(load: () => Promise<() => WebAssembly.Module>): void {
  loadSql ??= load;
}

/** Uses this module for SQL from now on instead of any other. */
export function replaceSql(make: () => WebAssembly.Module): void {
  loadSql = () => Promise.resolve(make);
  compiledSql = undefined;
}

/** The module that answers in SQL, loaded and compiled once; null where there is none. */
export async function theSqlModule(): Promise<WebAssembly.Module | null> {
  return (compiledSql ??= (await loadSql?.())?.()) ?? null;
}

/** Uses this module from now on instead of any other. */
export function replaceModule(make: () => WebAssembly.Module): void {
  makeModule = make;
  compiled = undefined;
}

/** Registers the source of the packed vocabulary of an encoding. */
export function provideVocabulary(encoding: Encoding, packed: () => Uint8Array): void {
  if (!vocabularies.has(encoding)) vocabularies.set(encoding, packed);
}

/** Keeps the rank file of an encoding for every later instance of the core. */
export function provideRanks(name: string, file: RankFile): void {
  rankFiles.set(name, file);
}

/** The module, compiled once. */
export function theModule(): WebAssembly.Module {
  if (compiled === undefined) {
    if (makeModule === undefined) {
      throw new ToolshapeError("INVALID_CALL", "the module is not loaded: call useModule first");
    }
    compiled = makeModule();
  }
  return compiled;
}

/** The encodings with available vocabularies, each with a function that returns its packed bytes. */
export function theVocabularies(): ReadonlyMap<Encoding, () => Uint8Array> {
  return vocabularies;
}

/** The loaded encodings, by name. */
export function theRankFiles(): ReadonlyMap<string, RankFile> {
  return rankFiles;
}
