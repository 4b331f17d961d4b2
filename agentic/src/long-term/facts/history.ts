import { keyHash, LIMITS, MemoryError } from "@membus/protocol";
import { kindIs } from "../../kind-filter.js";
import type { NamespaceView } from "../shelf.js";
import { type Fact, readFact } from "./fact.js";

/** Facts of one lineage that are read. */
const VERSIONS_MAX = 1_000;

/**
 * A fact with all that it has replaced and all that has replaced it, in the order in which they were
 * written.
 * @throws {MemoryError} `memory_not_found` where there is no such fact.
 */
export async function lineageOf(shelf: NamespaceView, id: string): Promise<Fact[]> {
  const found = new Map<string, Fact>();
  let open = await factsByHash(shelf, [keyHash({ fact: id })]);
  if (open.length === 0) throw new MemoryError("memory_not_found", `there is no fact ${id}`);
  while (open.length > 0 && found.size < VERSIONS_MAX) {
    for (const fact of open) found.set(fact.entry.key_hash, fact);
    const later = open.flatMap(({ metadata }) => metadata.superseded_by ?? []);
    const near = [
      ...(await factsByHash(shelf, later)),
      ...(await replacedBy(
        shelf,
        open.map(({ entry }) => entry.key_hash),
      )),
    ];
    open = near.filter(({ entry }) => !found.has(entry.key_hash));
  }
  return [...found.values()].sort((a, b) => a.entry.seq - b.entry.seq);
}

async function factsByHash(shelf: NamespaceView, hashes: readonly string[]): Promise<Fact[]> {
  if (hashes.length === 0) return [];
  const entries = await shelf.byKey([...new Set(hashes)].map(($hash) => ({ $hash })));
  return [...entries.values()].map(readFact).filter((fact) => fact !== undefined);
}

async function replacedBy(shelf: NamespaceView, hashes: readonly string[]): Promise<Fact[]> {
  const where = {
    all: [
      kindIs("fact"),
      { field: "metadata.superseded_by", op: "in" as const, value: hashes.slice(0, LIMITS.listElements) },
    ],
  };
  return (await shelf.all({ where })).map(readFact).filter((fact) => fact !== undefined);
}
