import type { StoreItem } from "@membus/protocol";
import type { Resident } from "../residency/resident.js";
import { isExpired, type Row, type RowBody, type RowFacets } from "../row.js";
import type { Tier } from "../tier.js";
import type { Previous } from "./plan-store.js";

/** What a store of a key finds in its place. */
export interface Current {
  /** The version that it replaces. */
  readonly version: Version | undefined;
  /** The same, read whole: what it builds on. Undefined also where the version has expired. */
  readonly previous: Previous | undefined;
}

interface Version {
  readonly rowId: number;
  readonly revision: number;
}

const NOTHING_READ: ReadonlyMap<number, string> = new Map();
const NOTHING: Current = { version: undefined, previous: undefined };

/** Whether nothing has come in the place of what was read. A row id alone may be given out again after a rollback. */
export function isStillCurrent(resident: Resident, keyHash: string, { version }: Current): boolean {
  const now = versionOf(resident, keyHash);
  return now?.rowId === version?.rowId && now?.revision === version?.revision;
}

function versionOf({ staged, partition }: Resident, keyHash: string): Version | undefined {
  const next = staged.get(keyHash);
  if (next !== undefined) return next.row ?? undefined;
  const slot = partition.slotOf(keyHash);
  if (slot === undefined) return undefined;
  return { rowId: partition.columns.rowIds[slot]!, revision: partition.columns.revisions[slot]! };
}

/** What is current for each entry's key. Does not wait where all of it is in RAM. */
export function readCurrent(
  tier: Tier,
  resident: Resident,
  entries: readonly StoreItem[],
): Current[] | Promise<Current[]> {
  const peeked = peekAll(tier, resident, entries, NOTHING_READ);
  return peeked.missing.length === 0 ? peeked.current : readMissing(tier, resident, entries);
}

/** Reads again where a version changes under it. */
async function readMissing(
  tier: Tier,
  resident: Resident,
  entries: readonly StoreItem[],
): Promise<Current[]> {
  const read = new Map<number, string>();
  for (;;) {
    const { current, missing } = peekAll(tier, resident, entries, read);
    if (missing.length === 0) return current;
    const bodies = await tier.bodies.get(resident.id, missing);
    for (const rowId of missing) {
      const body = bodies.get(rowId);
      if (body !== undefined) read.set(rowId, body);
      else if (isLive(resident, rowId)) throw new Error("the body of a current row is missing");
    }
  }
}

function isLive({ partition: { columns } }: Resident, rowId: number): boolean {
  const slot = columns.rowIds.indexOf(rowId);
  return slot >= 0 && slot < columns.count && columns.alive[slot] === 1;
}

interface Peeked {
  readonly current: Current[];
  /** Rows whose bodies must be read first. */
  readonly missing: number[];
}

function peekAll(
  tier: Tier,
  resident: Resident,
  entries: readonly StoreItem[],
  read: ReadonlyMap<number, string>,
): Peeked {
  const missing: number[] = [];
  const current = entries.map(({ key_hash }) => {
    const staged = resident.staged.get(key_hash);
    if (staged !== undefined) return staged.row === null ? NOTHING : currentOfRow(tier, staged.row);
    const slot = resident.partition.slotOf(key_hash);
    if (slot === undefined) return NOTHING;
    const rowId = resident.partition.columns.rowIds[slot]!;
    const body = tier.bodies.peek(rowId) ?? read.get(rowId);
    if (body !== undefined) return currentOfSlot(resident, slot, body);
    missing.push(rowId);
    return NOTHING;
  });
  return { current, missing };
}

function currentOfRow(tier: Tier, row: Row): Current {
  if (isExpired(row, tier.clock.now())) return { version: row, previous: undefined };
  const facets = JSON.parse(row.facets) as RowFacets;
  const previous = { ...row, facets, body: JSON.parse(row.body) as RowBody };
  return { version: row, previous };
}

function currentOfSlot({ partition }: Resident, slot: number, body: string): Current {
  const { columns, keys, vectors } = partition;
  const previous: Previous = {
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
    facets: partition.facetsOf(slot),
    body: JSON.parse(body) as RowBody,
    embedder: vectors?.embedder ?? "",
    vector: vectors?.vectorOf(slot) ?? null,
  };
  return { version: previous, previous };
}
