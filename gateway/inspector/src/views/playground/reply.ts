import type { DegradedTier, Tier } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { entryParams, type Key, keyText } from "../../entry-text.js";
import { counted } from "../../figures.js";
import { Degraded } from "../../notices.js";
import { hrefOf } from "../../route.js";

interface ReplyEntry {
  readonly key: Key;
  readonly key_hash: string;
  readonly tier: Tier;
  readonly namespace: string;
  readonly score: number;
  readonly text?: string;
  readonly content: unknown;
}

/** Reply of a retrieve in the protocol. */
export interface RetrieveReply {
  readonly entries: readonly ReplyEntry[];
  readonly total: number;
  readonly total_relation: "eq" | "gte";
  /** By stage. */
  readonly took_ms: { readonly total?: number };
  readonly degraded?: readonly DegradedTier[];
}

export function Reply({ reply }: { readonly reply: RetrieveReply }): VNode {
  const { entries, total, total_relation, took_ms, degraded } = reply;
  const item = (
    entry: ReplyEntry,
  ) => html`<li key=${`${entry.tier} ${entry.namespace} ${entry.key_hash}`} data-found=${keyText(entry.key)}>
    <a href=${hrefOf("memories", entryParams(entry))}>${textOf(entry) || keyText(entry.key)}</a>
    <span class="quiet">${entry.score.toFixed(2)} · ${keyText(entry.key)} · ${entry.tier} · ${entry.namespace}</span></li>`;
  return html`<p class="quiet" role="status">${total_relation === "gte" ? "at least " : ""}${counted(total, "entry", "entries")}${timeText(took_ms)}</p>
    <${Degraded} tiers=${degraded} />
    <ol class="rows">${entries.map(item)}</ol>
    <details><summary>Reply as JSON</summary><pre class="card" tabindex="0" role="region" aria-label="Reply as JSON">${JSON.stringify(reply, null, 2)}</pre></details>`;
}

function timeText({ total }: RetrieveReply["took_ms"]): string {
  return total === undefined ? "" : `, ${Math.round(total)} ms on the host`;
}

function textOf({ text, content }: ReplyEntry): string {
  return text ?? (typeof content === "string" ? content : JSON.stringify(content));
}
