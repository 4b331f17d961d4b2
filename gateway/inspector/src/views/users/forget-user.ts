import type { UserForgetReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Api } from "../../api.js";
import { counted } from "../../figures.js";
import { Failure } from "../../notices.js";

export interface ForgetUserProps {
  readonly api: Api;
  readonly name: string;
  readonly onForgotten: () => void;
}

type State =
  | { readonly step: "idle" }
  | { readonly step: "asking" }
  | { readonly step: "preview" | "forgotten"; readonly reply: UserForgetReply };

/** Forgets a user after a dry run that lists what goes and what stays. */
export function ForgetUser({ api, name, onForgotten }: ForgetUserProps): VNode {
  const [state, setState] = useState<State>({ step: "idle" });
  const [failure, setFailure] = useState<Error>();
  const post = async (path: string, step: "preview" | "forgotten") => {
    setState({ step: "asking" });
    try {
      const reply = await api.post<UserForgetReply>(path, { user: name });
      setFailure(undefined);
      setState({ step, reply });
      if (step === "forgotten") onForgotten();
    } catch (error) {
      setFailure(error as Error);
      setState({ step: "idle" });
    }
  };
  return html`<section class="panel" aria-labelledby="forget-user"><h3 id="forget-user">Forget ${name}</h3>
    <${Failure} of=${failure} />
    ${state.step === "asking" && html`<p role="status">Counting what belongs to ${name}</p>`}
    ${
      state.step === "idle" &&
      html`<p class="quiet">A dry run lists the entries first.</p>
      <button type="button" class="plain" onClick=${() => void post("user/forget/preview", "preview")}>Dry run</button>`
    }
    ${
      state.step === "preview" &&
      html`<${Preview} reply=${state.reply}>
        <button type="button" onClick=${() => void post("user/forget", "forgotten")}>Forget permanently</button>${" "}
        <button type="button" class="plain" onClick=${() => setState({ step: "idle" })}>Cancel</button><//>`
    }
    ${
      state.step === "forgotten" &&
      html`<p role="status">Forgotten: ${counted(state.reply.deleted, "entry", "entries")}.</p>`
    }
  </section>`;
}

function Preview({
  reply,
  children,
}: {
  readonly reply: UserForgetReply;
  readonly children?: unknown;
}): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { deleted, byKind, byTier, remains } = reply;
  const count = ([name, number]: readonly [string, number]) => html`<li key=${name}>${name}: ${number}</li>`;
  return html`<h4 ref=${heading} tabindex="-1">${counted(deleted, "entry", "entries")} will be forgotten</h4>
    <p class="quiet">Entries elsewhere that were derived from these are forgotten too.</p>
    <ul class="bullets" aria-label="By kind">${Object.entries(byKind).map(count)}</ul>
    <ul class="bullets" aria-label="By tier">${Object.entries(byTier).map(count)}</ul>
    <details><summary>What stays</summary><ul class="bullets">${remains.map(
      ({ what, reason }) => html`<li key=${what}>${what}: ${reason}</li>`,
    )}</ul></details>
    <p>${children}</p>`;
}
