import type { DegradedTier } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";

/** What went wrong, where it went wrong. Nothing where nothing did. */
export function Failure({ of }: { readonly of: Error | undefined }): VNode | null {
  if (of === undefined) return null;
  return html`<p class="failure" role="alert">${of.message}</p>`;
}

/** There is nothing, and what to do about it. */
export function Empty({ children }: { readonly children?: unknown }): VNode {
  return html`<p class="empty">${children}</p>`;
}

/** That tiers could not be asked. */
export function Degraded({
  tiers = [],
}: {
  readonly tiers?: readonly DegradedTier[] | undefined;
}): VNode | null {
  if (tiers.length === 0) return null;
  const text = tiers.map(({ tier, message }) => `${tier}: ${message}`).join("; ");
  return html`<p class="failure" role="status">Not all could be asked. ${text}</p>`;
}

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A moment, in the words of the reader's place, and exactly. `at` in Unix seconds. */
export function Time({ at }: { readonly at: number }): VNode {
  const date = new Date(at * 1_000);
  return html`<time dateTime=${date.toISOString()}>${MOMENT.format(date)}</time>`;
}
