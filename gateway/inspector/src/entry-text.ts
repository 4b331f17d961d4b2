import type { EntryBrief } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";

export type Key = Readonly<Record<string, unknown>>;

/** Returns a short text for a key: `fact1` for `{"id": "fact1"}`, otherwise `a=1 b=2`. */
export function keyText(key: Key): string {
  const fields = Object.entries(key);
  const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const [only] = fields;
  return fields.length === 1
    ? textOf(only![1])
    : fields.map(([name, value]) => `${name}=${textOf(value)}`).join(" ");
}

/** Returns the parameters with which the view *memories* shows one entry. */
export function entryParams({
  tier,
  namespace,
  key_hash,
}: Pick<EntryBrief, "tier" | "namespace" | "key_hash">) {
  return { entry: key_hash, at: `${tier} ${namespace}` };
}

export function Tags({ tags }: { readonly tags: readonly string[] }): VNode | null {
  if (tags.length === 0) return null;
  return html`<ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li class="tag" key=${tag}>${tag}</li>`)}</ul>`;
}
