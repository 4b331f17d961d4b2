import type { UserEntry } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { entryParams } from "../../entry-text.js";
import { hrefOf } from "../../route.js";

/** Shows the origin of an entry: the entry from which it was derived, or the agent that recorded it. */
export function Origin({ entry }: { readonly entry: UserEntry }): VNode | string {
  const { source, source_count: count, author, all_sources_read } = entry;
  if (source !== undefined) {
    const more = count > 1 && ` and ${(count - 1).toLocaleString()} more`;
    return html`because of <a href=${hrefOf("memories", entryParams(source))}>${source.text || source.key_hash}</a>${more}`;
  }
  if (count === 0) return `recorded by ${author}`;
  const state = all_sources_read ? "its source no longer exists" : "its first sources cannot be read";
  return `recorded by ${author}, ${state}`;
}
