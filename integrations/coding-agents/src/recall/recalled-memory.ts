import type { MemoryEntry } from "@membus/protocol";
import { type Trust, TrustSchema } from "@membus/protocol/records";

/** A memory in the form that a prompt shows. */
export interface RecalledMemory {
  /** Key hash. */
  readonly id: string;
  readonly text: string;
  readonly category: string;
  readonly trust: Trust;
  /** Agent that kept it. */
  readonly source: string;
  /** Unix seconds. */
  readonly time: number;
  readonly score: number;
}

/** Reads a fact or any other entry. Entries without a known origin count as written by an agent. */
export function toRecalled(entry: MemoryEntry): RecalledMemory {
  const { key_hash: id, content, metadata = {}, source, author, occurred_at: time, score } = entry;
  const text = isFact(content)
    ? content.text
    : typeof content === "string"
      ? content
      : JSON.stringify(content);
  const category = typeof metadata.category === "string" ? metadata.category : "note";
  const trust = TrustSchema.safeParse(metadata.trust).data ?? "agent";
  return { id, text, category, trust, source: source === "" ? author : source, time, score };
}

function isFact(content: unknown): content is { readonly text: string } {
  return (
    typeof content === "object" && content !== null && "text" in content && typeof content.text === "string"
  );
}
