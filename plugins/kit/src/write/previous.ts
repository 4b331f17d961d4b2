import type { StoreItem } from "@membus/protocol";
import type { Resident } from "../residency/resident.js";
import type { Row, RowBody, RowFacets } from "../row.js";
import type { Tier } from "../tier.js";
import type { Previous } from "./plan-store.js";

/** Row id of the version that a store of this key would replace; undefined where there is none. */
export function versionOf(resident: Resident, keyHash: string): number | undefined {
  const staged = resident.staged.get(keyHash);
  if (staged !== undefined) return staged?.rowId;
  const slot = resident.partition.slotOf(keyHash);
  return slot === undefined ? undefined : resident.partition.columns.rowIds[slot];
}

/** The current version of each entry's key, read whole. Reads again where a version changes under it. */
export async function readPrevious(
  tier: Tier,
  resident: Resident,
  entries: readonly StoreItem[],
): Promise<(Previous | undefined)[]> {
  const read = new Map<number, string>();
  for (;;) {
    const missing: number[] = [];
    const previous = entries.map(({ key_hash }) => {
      const found = peekPrevious(tier, resident, key_hash, read);
      if (typeof found !== "number") return found;
      missing.push(found);
      return undefined;
    });
    if (missing.length === 0) return previous;
    if (missing.some((rowId) => read.has(rowId))) throw new Error("the body of a current row is missing");
    const bodies = await tier.bodies.get(resident.id, missing);
    for (const rowId of missing) read.set(rowId, bodies.get(rowId) ?? "");
  }
}

/** The version, undefined where there is none, or the id of the row whose body must be read first. */
function peekPrevious(
  tier: Tier,
  resident: Resident,
  keyHash: string,
  read: ReadonlyMap<number, string>,
): Previous | undefined | number {
  const staged = resident.staged.get(keyHash);
  if (staged !== undefined) return staged === null ? undefined : previousOfRow(staged);
  const slot = resident.partition.slotOf(keyHash);
  if (slot === undefined) return undefined;
  const rowId = resident.partition.columns.rowIds[slot]!;
  const body = read.get(rowId) || tier.bodies.peek(rowId);
  return body === undefined ? rowId : previousOfSlot(resident, slot, body);
}

function previousOfRow(row: Row): Previous {
  return { ...row, facets: JSON.parse(row.facets) as RowFacets, body: JSON.parse(row.body) as RowBody };
}

function previousOfSlot(resident: Resident, slot: number, body: string): Previous {
  const { columns, keys, vectors } = resident.partition;
  return {
    rowId: columns.rowIds[slot]!,
    keyHash: keys.hashOf(slot),
    revision: columns.revisions[slot]!,
    seq: columns.seqs[slot]!,
    created: columns.created[slot]!,
    updated: columns.updated[slot]!,
    occurredAt: columns.occurredAt[slot]!,
    expiresAt: columns.expiresAt[slot]!,
    importance: columns.importances[slot]!,
    group: columns.groups[slot]!,
    facets: resident.partition.facetsOf(slot),
    body: JSON.parse(body) as RowBody,
    embedder: vectors?.embedder ?? "",
    vector: vectors?.vectorOf(slot) ?? null,
  };
}
