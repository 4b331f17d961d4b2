import type { DegradedTier } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";

/** Shows an error next to the part that failed. Renders nothing without an error. */
export function Failure({ of }: { readonly of: Error | undefined }): VNode | null {
  if (of === undefined) return null;
  return html`<p class="failure" role="alert">${of.message}</p>`;
}

/** Explains an empty result. */
export function Empty({ children }: { readonly children?: unknown }): VNode {
  return html`<p class="empty">${children}</p>`;
}

/** Names the tiers that did not answer. */
export function Degraded({
  tiers = [],
}: {
  readonly tiers?: readonly DegradedTier[] | undefined;
}): VNode | null {
  if (tiers.length === 0) return null;
  const text = tiers.map(({ tier, message }) => `${tier}: ${message}`).join("; ");
  return html`<p class="failure" role="status">Some tiers did not answer: ${text}</p>`;
}

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Shows a time in the locale of the user, with the exact value as attribute. `at` in Unix seconds. */
export function Time({ at }: { readonly at: number }): VNode {
  const date = new Date(at * 1_000);
  return html`<time dateTime=${date.toISOString()}>${MOMENT.format(date)}</time>`;
}
