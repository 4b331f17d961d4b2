import { createHash, hash } from "node:crypto";
import { canonicalJson, deriveText, type Json, type MemoryEntry } from "@membus/protocol";
import { isHead } from "@membus/protocol/records";
import type { ExportManifest } from "./export-format.js";
import { isoTime } from "./to-mem0.js";

/** Internet-Draft draft-vu-aimem-bundle-00: a JSON bundle of texts with a checksum. */
const PRODUCER = "membus";
const CONTENT_LENGTH_MAX = 65_536;
const TAG_LENGTH_MAX = 64;

/** Categories of facts that are memory types of a bundle. */
const TYPES = ["fact", "preference", "decision", "identity", "pitfall", "procedure", "episodic", "goal"];

const TYPE_OF_KIND: Readonly<Record<string, string>> = {
  message: "episodic",
  summary: "episodic",
  tool_call: "episodic",
  experience: "procedure",
  guideline: "procedure",
};

/** Returns the record of an entry in a bundle, undefined for an entry without a text that fits. */
export function aimemChunk(entry: MemoryEntry): { [name: string]: Json } | undefined {
  const text = textOf(entry);
  if (text === "" || [...text].length > CONTENT_LENGTH_MAX || isSplit(entry)) return undefined;
  const { tier, namespace, key_hash: keyHash, tags, occurred_at: at } = entry;
  return {
    id: `urn:aimem:${PRODUCER}:${hash("sha256", `${tier}\n${namespace}\n${keyHash}`)}`,
    content: text,
    content_hash: `sha256:${hash("sha256", text)}`,
    memory_type: memoryType(entry),
    is_pinned: false,
    created_at: isoTime(at) ?? isoTime(0)!,
    tags: [...new Set(tags)].filter((tag) => [...tag].length <= TAG_LENGTH_MAX),
  };
}

function textOf({ content, text }: MemoryEntry): string {
  const { text: own, content: words } = (content ?? {}) as { text?: unknown; content?: unknown };
  const found = [content, own, words].find((each) => typeof each === "string");
  return (found as string | undefined) ?? (text || deriveText(content));
}

/** A record in parts is larger than the content of a bundle's record may be. */
function isSplit(entry: MemoryEntry): boolean {
  return isHead(entry) || entry.metadata?.kind === "part";
}

function memoryType({ metadata = {}, tier }: MemoryEntry): string {
  const { kind, category } = metadata;
  if (kind === "fact" && TYPES.includes(String(category))) return String(category);
  if (typeof kind === "string") return TYPE_OF_KIND[kind] ?? "fact";
  return tier === "semantic" ? "fact" : "episodic";
}

/**
 * Yields a bundle in pieces. It is written in canonical JSON (RFC 8785), so that its checksum needs no second
 * pass. `onSkipped` is called for each entry without a text that fits.
 */
export async function* aimemBundle(
  { tenant, agent, time, filters }: Pick<ExportManifest, "tenant" | "agent" | "time" | "filters">,
  entries: AsyncIterable<MemoryEntry>,
  onSkipped: () => void,
): AsyncGenerator<string> {
  const sum = createHash("sha256");
  const hashed = (piece: string) => {
    sum.update(piece);
    return piece;
  };
  yield hashed('{"chunk_entities":[],"chunks":[');
  let isFirst = true;
  for await (const entry of entries) {
    const chunk = aimemChunk(entry);
    if (chunk === undefined) {
      onSkipped();
      continue;
    }
    yield hashed(`${isFirst ? "" : ","}${canonicalJson(chunk)}`);
    isFirst = false;
  }
  const since = typeof filters?.since === "number" ? isoTime(filters.since) : undefined;
  const rest = canonicalJson({
    edges: [],
    entities: [],
    exported_at: time,
    format: "aimem-bundle",
    producer: PRODUCER,
    scope: since === undefined ? "FULL" : "SINCE",
    ...(since !== undefined && { since }),
    tenant_id: `urn:membus:${encodeURIComponent(tenant)}:${encodeURIComponent(agent)}`,
    version: "1",
  });
  sum.update(`],${rest.slice(1)}`);
  yield `],${rest.slice(1, -1)},"checksum":"sha256:${sum.digest("hex")}"}\n`;
}
