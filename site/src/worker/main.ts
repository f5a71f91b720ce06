// The worker: all shaping and counting, so that the page never freezes.

import { encode, decodeBytes, readResultTool } from "toolshape";
import { packageData } from "../package_data.js";
import type { Fault, Name, Reply, Request, Requests } from "../protocol.js";
import { Session } from "./session.js";
import { tokenEnds } from "./token_ends.js";

const session = new Session();
const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<Request>) => void;
  postMessage(reply: Reply): void;
};

type Answers = {
  [N in Name]: (args: Requests[N]["args"], id: number) => Requests[N]["answer"] | Promise<Requests[N]["answer"]>;
};

const ANSWERS: Answers = {
  about: () => readResultTool(),
  open: (args) => session.open(...args),
  shape: (args) => session.shape(...args),
  ask: ([args, sqlModule]) => {
    if (sqlModule !== undefined) packageData()["sql"] = sqlModule;
    return session.ask(args);
  },
  tokenEnds: ([text]) => tokenEnds(text, encode(text), (token) => decodeBytes([token]).length),
  rebuild: (_, id) => session.rebuild((progress) => scope.postMessage({ id, progress })),
};

function faultOf(error: unknown): Fault {
  const { code = "", message = String(error), path = "" } = error as Partial<Fault>;
  return { code, message, path };
}

// One request at a time, in their order: an answer is about the result that was shaped before it was asked.
let before: Promise<void> = Promise.resolve();
scope.onmessage = ({ data: { id, name, args } }) => {
  before = before.then(async () => {
    try {
      const answer = ANSWERS[name] as (args: unknown, id: number) => unknown;
      scope.postMessage({ id, value: await answer(args, id) });
    } catch (error) {
      scope.postMessage({ id, fault: faultOf(error) });
    }
  });
};
