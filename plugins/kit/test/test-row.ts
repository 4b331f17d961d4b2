import { keyHash } from "@membus/protocol";
import { createEnglishAnalyzer, type Row } from "../src/index.js";
import type { RowFacets } from "../src/row.js";
import { Partition } from "../src/search/partition/partition.js";
import { storeItem, type TestStoreEntry } from "./kit-requests.js";
import { vectorOf } from "./scripted-embedder.js";

const analyzer = createEnglishAnalyzer();
export const EMBEDDER = { id: "scripted/8", dimensions: 8 };

export interface RowFields extends Partial<Omit<Row, "facets" | "body">> {
  /** Short form of a key, from which other fields derive. */
  readonly name?: string;
  readonly text?: string;
  readonly facets?: Partial<RowFacets>;
}

/** Returns a row as a store creates it. `rowId` also sets revision and seq unless they are given. */
export function testRow({ name = "k", text = name, facets = {}, ...fields }: RowFields = {}): Row {
  const { rowId = 1, occurredAt = 1_800_000_000 } = fields;
  return {
    rowId,
    keyHash: keyHash(name),
    revision: rowId,
    seq: rowId,
    created: 1_800_000_000,
    updated: 1_800_000_000,
    occurredAt,
    expiresAt: 0,
    importance: 1,
    group: "",
    body: JSON.stringify({ content: text, ttl: null }),
    terms: analyzer.analyze({ text, context: name, occurredAt }),
    analyzer: analyzer.id,
    embedder: EMBEDDER.id,
    vector: vectorOf(text, EMBEDDER.dimensions),
    ...fields,
    facets: JSON.stringify({ key: { name }, tags: [], source: "alice", author: "alice", ...facets }),
  };
}

/** Returns the row of an entry in short form. */
export function rowOfEntry(entry: TestStoreEntry, rowId: number): Row {
  const item = storeItem(entry, 0, 1_800_000_000);
  return testRow({
    rowId,
    keyHash: item.key_hash,
    occurredAt: item.occurred_at ?? 1_800_000_000,
    expiresAt: item.expires_at ?? 0,
    importance: item.importance ?? 1,
    group: item.group ?? "",
    text: JSON.stringify(item.content),
    facets: {
      key: item.key,
      tags: item.tags ?? [],
      source: item.source ?? "alice",
      ...(item.metadata ? { metadata: item.metadata } : {}),
    },
  });
}

export function emptyPartition(embedder: typeof EMBEDDER | null = EMBEDDER): Partition {
  const termsOf = (): Uint32Array => {
    throw new Error("every row of this test must have terms");
  };
  return new Partition({ termsOf, ...(embedder === null ? {} : { embedder }) });
}
