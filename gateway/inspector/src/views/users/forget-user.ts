import type { EntryBrief, UserForgetReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Api } from "../../api.js";
import { entryParams } from "../../entry-text.js";
import { counted } from "../../figures.js";
import { Failure } from "../../notices.js";
import { hrefOf } from "../../route.js";

export interface ForgetUserProps {
  readonly api: Api;
  readonly name: string;
  readonly names: readonly string[];
  readonly onForgotten: () => void;
}

type State =
  | { readonly step: "idle" }
  | { readonly step: "asking" }
  | { readonly step: "preview" | "forgotten"; readonly reply: UserForgetReply };

/** Forgets a user after a dry run that lists what goes and what stays. */
export function ForgetUser({ api, name, names, onForgotten }: ForgetUserProps): VNode {
  const [state, setState] = useState<State>({ step: "idle" });
  const [failure, setFailure] = useState<Error>();
  const post = async (path: string, step: "preview" | "forgotten") => {
    setState({ step: "asking" });
    try {
      const reply = await api.post<UserForgetReply>(path, { user: name, names });
      setFailure(undefined);
      setState({ step, reply });
      if (step === "forgotten") onForgotten();
    } catch (error) {
      setFailure(error as Error);
      setState({ step: "idle" });
    }
  };
  if (state.step === "idle") {
    return html`<p><button type="button" class="plain danger"
        onClick=${() => void post("user/forget/preview", "preview")}>Forget ${name}…</button>${" "}
      <span class="quiet">A dry run lists the entries first.</span></p>
      <${Failure} of=${failure} />`;
  }
  return html`<section class="panel dry-run" aria-labelledby="forget-user"><h3 id="forget-user">Forget ${name}</h3>
    <${Failure} of=${failure} />
    ${state.step === "asking" && html`<p role="status">Listing what belongs to ${name}</p>`}
    ${
      state.step === "preview" &&
      html`<${Preview} reply=${state.reply}>
        <button type="button" class="danger" onClick=${() => void post("user/forget", "forgotten")}>Forget permanently</button>${" "}
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
  const { deleted, byTier, remains, entries, more } = reply;
  return html`<h4 ref=${heading} tabindex="-1">${counted(deleted, "entry", "entries")} will be forgotten</h4>
    <p class="quiet">Entries elsewhere that were derived from these are forgotten too.</p>
    ${Object.entries(byTier).map(
      ([tier, count]) =>
        html`<${TierEntries} key=${tier} tier=${tier} count=${count} entries=${entries.filter((entry) => entry.tier === tier)} />`,
    )}
    ${more > 0 && html`<p class="quiet">and ${more.toLocaleString()} more</p>`}
    <details><summary>What stays</summary><ul class="bullets">${remains.map(
      ({ what, reason }) => html`<li key=${what}>${what}: ${reason}</li>`,
    )}</ul></details>
    <p class="footer">${children}</p>`;
}

interface TierEntriesProps {
  readonly tier: string;
  readonly count: number;
  readonly entries: readonly EntryBrief[];
}

function TierEntries({ tier, count, entries }: TierEntriesProps): VNode {
  const item = (entry: EntryBrief) => html`<li key=${`${entry.namespace} ${entry.key_hash}`}>
    <a href=${hrefOf("memories", entryParams(entry))}>${entry.text || entry.key_hash}</a>
    <span class="quiet">${entry.kind ?? "other"} · ${entry.namespace}</span></li>`;
  return html`<h5 class="tier-name">${tier}: ${counted(count, "entry", "entries")}</h5>
    <ul class="rows" aria-label=${`Forgotten in ${tier}`}>${entries.map(item)}</ul>`;
}
