import type { EntryBrief, FactValidity } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { Time } from "../../notices.js";

type HrefOf = (entry: EntryBrief) => string;

export interface ValidityProps {
  readonly validity: FactValidity;
  readonly hrefOf: HrefOf;
}

/** Says since when a fact is valid, until when, and which facts it follows. */
export function Validity({ validity, hrefOf }: ValidityProps): VNode {
  const { from, until, superseded, replaces } = validity;
  return html`<section aria-label="Validity"><p>Valid since <${Time} at=${from} /></p>
    ${until !== undefined && html`<p>Valid until <${Time} at=${until} />${superseded && html`: <${ReplacedBy} validity=${validity} hrefOf=${hrefOf} />`}</p>`}
    ${until === undefined && superseded && html`<p>No longer valid: <${ReplacedBy} validity=${validity} hrefOf=${hrefOf} /></p>`}
    ${replaces.length > 0 && html`<p>Replaces <${Links} entries=${replaces} hrefOf=${hrefOf} /></p>`}
  </section>`;
}

export function ReplacedBy({ validity: { replaced_by }, hrefOf }: ValidityProps): VNode {
  if (replaced_by.length === 0) return html`<span>replaced by a fact that no longer exists</span>`;
  return html`<span>replaced by <${Links} entries=${replaced_by} hrefOf=${hrefOf} /></span>`;
}

function Links({ entries, hrefOf }: { readonly entries: readonly EntryBrief[]; readonly hrefOf: HrefOf }) {
  return entries.map(
    (entry, index) =>
      html`${index > 0 && ", "}<a key=${entry.key_hash} href=${hrefOf(entry)}>${entry.text || entry.key_hash}</a>`,
  );
}
