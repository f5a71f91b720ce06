// The third pane: the model asks on. Each call of `read_result` with its answer, and what may be asked next.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { offersOf, type Args } from "../reading/calls.js";
import { treeOf } from "../reading/json_tree.js";
import { AskForm } from "./ask_form.js";
import { number, tokens } from "./numbers.js";
import { ReadBack } from "./read_back.js";
import { ResultText } from "./result_text.js";
import type { Session, Turn } from "./session.js";

export function Conversation({ session, isColoured }: { readonly session: Session; readonly isColoured: boolean }) {
  const { core, shaped, turns, ask } = session;
  const handle = shaped?.handle ?? null;
  const last = useRef<HTMLLIElement>(null);
  const answered = turns.at(-1)?.answer !== undefined;
  useEffect(() => last.current?.scrollIntoView({ block: "nearest", behavior: "auto" }), [turns.length, answered]);
  const spent =
    (shaped?.receipt.tokensAfter ?? 0) + turns.reduce((sum, { answer }) => sum + (answer?.receipt.tokensAfter ?? 0), 0);
  const before = shaped?.receipt.tokensBefore ?? 0;
  return (
    <section class="pane conversation" aria-labelledby="conversation-title">
      <header>
        <h2 id="conversation-title">How it goes on</h2>
        <p>
          {turns.length > 0 ? (
            <span role="status">
              {number(turns.length)} {turns.length === 1 ? "call" : "calls"}, {tokens(spent)} read in all, of{" "}
              {number(before)}
            </span>
          ) : (
            <span>{handle === null ? "" : "The model asks for what it needs, and reads nothing else."}</span>
          )}
        </p>
      </header>
      {shaped && handle === null ? (
        <p class="notice">
          {shaped.isError
            ? "Nothing of a refused result is stored."
            : "Nothing is left to ask: the model has read all of it. With less maxTokens, or a larger result, it goes on here."}
        </p>
      ) : (
        <>
          <Questions session={session} />
          <ol class="turns scroll" tabIndex={0} aria-label="Calls and answers">
            {turns.map((turn, at) => (
              <li key={turn.id} {...(at === turns.length - 1 && { ref: last })}>
                <TurnView
                  turn={turn}
                  isOpen={at === turns.length - 1}
                  handle={handle}
                  core={core}
                  isColoured={isColoured}
                  onAsk={ask}
                />
              </li>
            ))}
            {turns.length === 0 && (
              <li class="notice">
                Nothing is asked yet. Each question above is a call of read_result, as the result names it.
              </li>
            )}
          </ol>
          <AskForm core={core} handle={handle} onAsk={ask} />
          <ReadBack session={session} />
        </>
      )}
    </section>
  );
}

interface TurnProps {
  readonly turn: Turn;
  readonly isOpen: boolean;
  readonly handle: string | null;
  readonly core: Session["core"];
  readonly isColoured: boolean;
  onAsk(args: Args): void;
}

function TurnView({ turn: { args, answer, fault }, isOpen, handle, core, isColoured, onAsk }: TurnProps) {
  return (
    <details open={isOpen} class={answer?.isError ? "turn wrong" : "turn"}>
      <summary>
        <code>
          <b>read_result</b> {spelled(args, handle) || "the whole"}
        </code>
        <span class="count">{answer ? tokens(answer.receipt.tokensAfter) : fault ? "failed" : "…"}</span>
      </summary>
      {answer && (
        <ResultText core={core} text={answer.text} handle={handle} asked={args} isColoured={isColoured} onAsk={onAsk} />
      )}
      {fault && <p class="fault">{fault.message}</p>}
    </details>
  );
}

/** Arguments without the handle, which is the same in all of them, and with cursors in short. */
function spelled(args: Args, handle: string | null): string {
  const entries = Object.entries(args).filter(
    ([name, value]) => !(name === "handle" && String(value).endsWith(handle ?? "-")),
  );
  return entries
    .map(([name, value]) => `${name}: ${name === "cursor" ? `${String(value).slice(0, 8)}…` : JSON.stringify(value)}`)
    .join(", ");
}

const FIRST = [
  "ask about all rows",
  "the next part",
  "this value in full",
  "read this section",
  "read on from this line",
];

/** Steps after which a text is asked about as rows, or by its headings. */
const ROWS: ReadonlySet<string> = new Set(["csv", "tsv", "table", "ndjson", "json"]);
const HEADINGS: ReadonlySet<string> = new Set(["markdown", "html", "log"]);

/** The place of an offer among the others: what goes on comes before what begins again. */
function rank(what: string): number {
  const at = FIRST.indexOf(what);
  return at === -1 ? FIRST.length : at;
}

/** What the last answer offers, and what can be asked of any stored result. */
function Questions({ session: { shaped, turns, ask } }: { readonly session: Session }) {
  const last = turns.at(-1);
  const text = last?.answer?.text ?? shaped?.text ?? "";
  const handle = shaped?.handle ?? null;
  const asked = last?.args;
  const steps = shaped?.receipt.steps ?? [];
  const hasRows = shaped?.storedAs === "json" || steps.some((step) => ROWS.has(step));
  const hasHeadings = steps.some((step) => HEADINGS.has(step));
  const questions = useMemo(() => {
    const found = new Map<string, { what: string; detail: string; args: Args }>();
    const add = (what: string, detail: string, args: Args): void =>
      void (found.has(what) || found.set(what, { what, detail, args }));
    const first = shaped ? offersOf(shaped.text, treeOf(shaped.text), handle, undefined) : [];
    const offers = [...offersOf(text, treeOf(text), handle, asked), ...first];
    // The sort keeps the order, so that of two offers of a kind the last answer's is shown.
    for (const { what, args } of offers.sort((a, b) => rank(a.what) - rank(b.what)))
      add(what, spelled(args, handle), args);
    if (hasRows) add("its first row, in SQL", "SELECT *", { handle, sql: "SELECT * FROM result LIMIT 1" });
    if (hasHeadings) add("its outline", "outline: true", { handle, outline: true });
    return [...found.values()];
  }, [text, handle, asked, shaped]);
  return (
    <ul class="questions" aria-label="What can be asked next">
      {questions.map(({ what, detail, args }) => (
        <li key={what}>
          <button type="button" title={`read_result ${JSON.stringify(args)}`} onClick={() => ask(args)}>
            {what} <small>{detail}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}
