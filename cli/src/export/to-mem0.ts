import { hash } from "node:crypto";
import type { MemoryEntry } from "@membus/protocol";
import { readRecord, subjectFromNamespace } from "@membus/protocol/records";

/** Beginning of the names of metadata that an import from mem0 renamed. */
const RENAMED = "mem0_";

/** Metadata that has a separate place in a memory of mem0, or a meaning only in membus. */
const OMITTED = ["kind", "about", "trust", "valid_from", "valid_until", "mem0_id", "agent_id", "run_id"];

/**
 * Returns a current fact as a memory of mem0's `get_all`. Returns undefined for other entries, such as facts
 * that were replaced.
 */
export function mem0Memory(entry: MemoryEntry): object | undefined {
  const record = readRecord(entry, "fact");
  const subject = subjectFromNamespace(entry.namespace);
  if (record === undefined || subject === undefined || record.metadata.superseded_by !== undefined) {
    return undefined;
  }
  const { text } = record.content;
  const { mem0_id: id, agent_id: agent, run_id: run, category, valid_until: until } = record.metadata;
  return {
    id: typeof id === "string" ? id : record.key.fact,
    memory: text,
    hash: hash("md5", text),
    ...ownerOf(subject),
    ...(typeof agent === "string" && { agent_id: agent }),
    ...(typeof run === "string" && { run_id: run }),
    metadata: plainMetadata(entry),
    ...(category !== undefined && {
      categories: [category, ...entry.tags.filter((tag) => tag !== category)],
    }),
    ...(category === undefined && entry.tags.length > 0 && { categories: entry.tags }),
    ...(until !== undefined && { expiration_date: isoTime(until) }),
    created_at: isoTime(record.metadata.valid_from ?? entry.occurred_at),
    updated_at: isoTime(entry.timestamps.updated),
  };
}

/** mem0 has users, agents and runs. Other subjects become users. */
function ownerOf(subject: string) {
  const [, owner, name] = /^(user|agent|run):(.+)$/s.exec(subject) ?? [];
  return { [`${owner ?? "user"}_id`]: name ?? subject };
}

function plainMetadata({ metadata = {} }: MemoryEntry): Record<string, unknown> {
  const kept = Object.entries(metadata).filter(([name]) => !OMITTED.includes(name) && name !== "category");
  return Object.fromEntries(
    kept.map(([name, value]) => [name.startsWith(RENAMED) ? name.slice(RENAMED.length) : name, value]),
  );
}

/** Returns an ISO 8601 time, undefined for a time that has none. */
export function isoTime(seconds: number): string | undefined {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
