import type { UserEntry } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { entryParams } from "../../entry-text.js";
import { hrefOf } from "../../route.js";

/** Says why an entry is known: the entry from which it was derived, or the agent that recorded it. */
export function Origin({ entry }: { readonly entry: UserEntry }): VNode | string {
  const { source, source_count: count, author } = entry;
  if (source !== undefined) {
    const more = count > 1 && ` and ${(count - 1).toLocaleString()} more`;
    return html`because of <a href=${hrefOf("memories", entryParams(source))}>${source.text || source.key_hash}</a>${more}`;
  }
  return count === 0 ? `recorded by ${author}` : `recorded by ${author}, its source no longer exists`;
}
