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

/** Says that a part is being read. */
export function Loading(): VNode {
  return html`<p class="quiet">Loading</p>`;
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
const SHORT = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});

/**
 * Shows a time in the locale of the user, with the exact value as attribute. `at` in Unix seconds. A short time
 * has no year and no seconds.
 */
export function Time({ at, isShort = false }: { readonly at: number; readonly isShort?: boolean }): VNode {
  const date = new Date(at * 1_000);
  return html`<time dateTime=${date.toISOString()} title=${isShort ? MOMENT.format(date) : undefined}>
    ${(isShort ? SHORT : MOMENT).format(date)}</time>`;
}
