// A server behind the relay, from its start to its end.

import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { Kept } from "../stores/kept.js";
import type { Store } from "../stores/store.js";
import { similarCommand } from "./command_line.js";
import { Conversation } from "./conversation.js";
import type { ReadOptions } from "./options.js";
import { Pump } from "./pump.js";
import { reasonOf } from "./reason.js";
import { Recording } from "./recording.js";
import { Remote } from "./remote.js";
import { GRACE_MS, Server, spelled, type Command } from "./server.js";
import { storeOf } from "./stores.js";
import type { Ending } from "./upstream.js";

/** What a relay is given. */
export interface Given {
  /** Reads and checks the options, in the core. */
  readonly options: () => ReadOptions;
  /** A file for what both sides write. */
  readonly record: string | undefined;
  /** The command that starts the server, or its address. */
  readonly server: Command | Address;
}

/** A server behind streamable HTTP. */
export interface Address {
  readonly url: string;
  /** The headers of every request, written as `Name: value`. */
  readonly headers: readonly string[];
}

/** The exit codes of shells for a command that is not there, and for one that may not be started. */
const [NOT_FOUND, NOT_ALLOWED] = [127, 126];
/** How long output may come after the server has ended: of processes that it left behind. */
const LINGER_MS = 500;
/** How often it is looked whether the client is still there, after it closed its output. */
const LOOK_MS = 500;

/** Relays until the server ends, and returns its exit code. */
export async function relay({ options, record, server: given }: Given): Promise<number> {
  const recording = record === undefined ? undefined : new Recording(record);
  // A process starts while the core is loaded: the client waits for it alone.
  const started = "url" in given ? undefined : await start(given);
  const { conversation, store, maxLineBytes } = await prepare(options, "url" in given).catch(async (error: unknown) => {
    if (started instanceof Server) await started.end();
    throw error;
  });
  const server = "url" in given ? reach(given, conversation) : (started as Server | NodeJS.ErrnoException);
  const isStarted = !(server instanceof Error);
  const { stdin, stdout, stderr } = process;
  const say = (text: string): void => void stderr.write(`toolshape: ${text}\n`);
  const parent = process.ppid;
  let hasLeft = false;
  /** Whether the server is no longer needed, and whether it got a signal. */
  let isDismissed = false;
  const settle = (): void => {
    if (!hasLeft || !isStarted) return;
    // What waits for the store may still be for the server.
    if (!pump.awaitsStore) server.input.end();
    const isHeard = stdout.writable && process.ppid === parent;
    if (isDismissed || (isHeard && !pump.isIdle && !pump.isInLongLine)) return;
    isDismissed = true;
    // What is not going to be answered is not waited for.
    if (pump.isInLongLine) void server.end();
    else server.dismiss();
  };
  const leave = (): void => {
    // A client that was killed while it waits for a call says nothing more.
    if (!hasLeft) setInterval(settle, LOOK_MS).unref();
    hasLeft = true;
    settle();
  };
  const kept = store === null ? undefined : new Kept(store);
  const ends = { client: stdout, server: isStarted ? server.input : undefined, errors: stderr };
  const pump = new Pump(conversation, kept, recording, ends, maxLineBytes, settle);
  // A side that closes its input or output sees the end of the other.
  stderr.on("error", () => {});
  stdout.on("error", leave);
  void pump.read("client", stdin).then(leave);
  if (!isStarted) {
    // Its arguments may have a secret, which is not for the client.
    const [program] = given as Command;
    const reason = `cannot start ${spelled([program])}: ${reasonOf(server)}${didYouMean(program)}`;
    say(reason);
    await pump.end(reason, () => hasLeft);
    return server.code === "EACCES" || server.code === "EPERM" ? NOT_ALLOWED : NOT_FOUND;
  }
  const output = pump.read("server", server.output);
  const ending = server.ended.then(({ reason }) => reason);
  await Promise.race([output, ending]);
  server.input.end();
  await Promise.race([output, ending.then(() => delay(LINGER_MS))]);
  const reason = await Promise.race([ending, delay(GRACE_MS, "the server's output has ended")]);
  if (!hasLeft && server.signalled === undefined) {
    say(`${reason}${pump.hasSpoken.server ? "" : ", before its first message"}: ${server.name}`);
  }
  await pump.end(reason, () => hasLeft || server.signalled !== undefined);
  await server.end();
  return exitCode(await server.ended, isDismissed && server.signalled === undefined);
}

/** What the options give. */
async function prepare(options: Given["options"], isRemote: boolean): Promise<Prepared> {
  await import("../index.js");
  const { text, store, maxLineBytes } = options();
  return { conversation: new Conversation(text, isRemote), store: storeOf(store), maxLineBytes };
}

interface Prepared {
  readonly conversation: Conversation;
  /** Where results are kept: null for nowhere, undefined for the memory of this process. */
  readonly store: Store | null | undefined;
  /** The bytes of the longest line. */
  readonly maxLineBytes: number;
}

/** A process; the reason if it cannot be started. */
function start(command: Command): Promise<Server | NodeJS.ErrnoException> {
  return Server.start(command).catch((error: NodeJS.ErrnoException) => error);
}

function reach({ url, headers }: Address, conversation: Conversation): Remote {
  return new Remote(url, headers, (...asked) => conversation.http(...asked));
}

/** A hint for who means a command of this program. */
function didYouMean(program: string): string {
  const meant = similarCommand(program);
  return meant === undefined ? "" : `; did you mean toolshape ${meant}?`;
}

/** A server that is ended because nobody needs it any more has not failed. */
function exitCode({ code }: Ending, isDismissed: boolean): number {
  const { SIGTERM, SIGKILL } = constants.signals;
  return isDismissed && (code === 128 + SIGTERM || code === 128 + SIGKILL) ? 0 : code;
}
