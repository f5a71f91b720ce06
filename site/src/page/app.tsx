// The page: a sample or one's own result, what a model reads of it, and how it goes on.

import { useEffect, useState } from "preact/hooks";
import { Code } from "./code.js";
import { Conversation } from "./conversation.js";
import { GaveWay } from "./gave_way.js";
import { Given } from "./given.js";
import type { PolicyOptions } from "../protocol.js";
import { hashOf, linkedBy } from "./link.js";
import { Policy, isOfForm } from "./policy.js";
import { Promises } from "./promises.js";
import { Reading } from "./reading.js";
import { SampleBar } from "./sample_bar.js";
import { samples, type Sample } from "./samples.js";
import { sourceOf, sourceOfFile, sourceOfSample, useSession } from "./session.js";
import { Windows } from "./windows.js";

const [FIRST] = samples as [Sample, ...Sample[]];

export function App() {
  const session = useSession();
  const { shaped, fault, source, change, fail } = session;
  const [isColoured, setColoured] = useState(false);
  const [isDropping, setDropping] = useState(false);

  /** What was set for another result stays, except for what names fields of it. */
  const kept = (): PolicyOptions => {
    const { series: _, grid: __, fields: ___, ...kept } = session.policy;
    return kept;
  };
  const openSample = (sample: Sample, policy: PolicyOptions = { ...kept(), ...sample.policy }): void =>
    void sourceOfSample(sample).then((source) => change({ source, tool: sample.tool, policy }), fail);
  const openFile = (file: File): void =>
    void sourceOfFile(file).then((source) => change({ source, tool: "my_tool" }), fail);

  useEffect(() => {
    const follow = async (): Promise<boolean> => {
      const { text, sample: id, tool = "my_tool", policy = {} } = (await linkedBy(location.hash)) ?? {};
      const sample = samples.find((sample) => sample.id === id);
      if (text !== undefined) change({ source: sourceOf("a link", text), tool, policy });
      else if (sample) openSample(sample, policy);
      return text !== undefined || sample !== undefined;
    };
    void follow().then((isLinked) => isLinked || openSample(FIRST));
    const again = (): void => void follow();
    addEventListener("hashchange", again);
    return () => removeEventListener("hashchange", again);
  }, []);
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const isTaken =
        event.defaultPrevented ||
        (event.target instanceof Element && event.target.closest("input, .cm-editor") !== null);
      if (!isTaken && text !== "") change({ source: sourceOf("your own", text), tool: "my_tool" });
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, []);

  const link = async (): Promise<string | undefined> => {
    if (source === undefined || (source.sample === undefined && !source.isWhole)) return undefined;
    const { tool, policy } = session;
    const hash = await hashOf({
      tool,
      policy,
      ...(source.sample ? { sample: source.sample.id } : { text: source.shown }),
    });
    if (hash === undefined) return undefined;
    history.replaceState(null, "", `#${hash}`);
    return location.href;
  };

  return (
    <div
      class={isDropping ? "app dropping" : "app"}
      data-shapings={session.shapings}
      onDragOver={(event) => (event.preventDefault(), setDropping(true))}
      onDragLeave={(event) => event.relatedTarget === null && setDropping(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropping(false);
        const file = event.dataTransfer?.files[0];
        if (file) openFile(file);
      }}
    >
      <SampleBar current={source?.sample} onSample={(sample) => openSample(sample)} onFile={openFile} />
      {fault && !isOfForm(fault) && (
        <p class="fault" role="alert">
          <b>{fault.code || "Error"}</b> {fault.message} {fault.path && <code>{fault.path}</code>}
        </p>
      )}
      <section class="outcome" aria-label="The outcome">
        <Windows receipt={shaped?.receipt} />
        <GaveWay shaped={shaped} />
      </section>
      <Policy policy={session.policy} fault={fault} onChange={(policy) => change({ policy })} />
      <div class="panes">
        <Given
          session={session}
          onText={(text) => change({ source: sourceOf("your own", text), ...(source?.sample && { tool: "my_tool" }) })}
          link={link}
        />
        <Reading session={session} isColoured={isColoured} onColoured={setColoured} />
        <Conversation session={session} isColoured={isColoured} />
      </div>
      <div class="use">
        <Code policy={session.policy} />
        <Promises />
      </div>
    </div>
  );
}
