import { keyHash, LIMITS, MemoryError } from "@membus/protocol";
import { kindIs } from "../../kind-filter.js";
import type { NamespaceView } from "../namespace-view.js";
import { type Fact, readFact } from "./fact.js";

/** Maximum number of facts of one lineage. */
const VERSIONS_MAX = 1_000;

/**
 * Returns a fact with all facts that it replaced or that replaced it, in the order of their creation.
 * @throws {MemoryError} `memory_not_found` if the fact does not exist.
 */
export async function lineageOf(view: NamespaceView, id: string): Promise<Fact[]> {
  const found = new Map<string, Fact>();
  let open = await factsByHash(view, [keyHash({ fact: id })]);
  if (open.length === 0) throw new MemoryError("memory_not_found", `fact ${id} does not exist`);
  while (open.length > 0 && found.size < VERSIONS_MAX) {
    for (const fact of open) found.set(fact.entry.key_hash, fact);
    const later = open.flatMap(({ metadata }) => metadata.superseded_by ?? []);
    const near = [
      ...(await factsByHash(view, later)),
      ...(await replacedBy(
        view,
        open.map(({ entry }) => entry.key_hash),
      )),
    ];
    open = near.filter(({ entry }) => !found.has(entry.key_hash));
  }
  return [...found.values()].sort((a, b) => a.entry.seq - b.entry.seq);
}

async function factsByHash(view: NamespaceView, hashes: readonly string[]): Promise<Fact[]> {
  if (hashes.length === 0) return [];
  const entries = await view.byKey([...new Set(hashes)].map(($hash) => ({ $hash })));
  return [...entries.values()].map(readFact).filter((fact) => fact !== undefined);
}

async function replacedBy(view: NamespaceView, hashes: readonly string[]): Promise<Fact[]> {
  const where = {
    all: [
      kindIs("fact"),
      { field: "metadata.superseded_by", op: "in" as const, value: hashes.slice(0, LIMITS.listElements) },
    ],
  };
  return (await view.all({ where })).map(readFact).filter((fact) => fact !== undefined);
}
