import { MemoryError } from "@membus/protocol";
import type { StoreItem } from "@membus/protocol/plugin";
import { type LoadedPartition, vectorsOfRows } from "../../lifecycle/index.js";
import { isExpired, type Row, type RowBody, type RowFacets } from "../../row.js";
import type { Partition } from "../../search/index.js";
import { chunksOf, Yielder } from "../../yielder.js";
import type { StoreParts } from "../tier.js";
import type { Plan, Previous } from "./plan-store.js";

/** Plan of an entry, and the version that it replaces. */
export interface PlannedEntry {
  readonly plan: Plan;
  readonly version: Version | undefined;
}

interface Version {
  readonly rowId: number;
  readonly revision: number;
}

/** Plans an entry. `previous` is undefined for a new key, and for an expired version. */
type PlanOver = (item: StoreItem, previous: Previous | undefined) => Plan;

/** Parts that current versions are read from. */
type PlanParts = Pick<StoreParts, "bodies" | "vectors" | "clock">;

/** Parts of current versions that were read, by row id. */
interface ReadRows {
  readonly bodies: ReadonlyMap<number, string>;
  readonly vectors: ReadonlyMap<number, Float32Array>;
}

const NOTHING_READ: ReadRows = { bodies: new Map(), vectors: new Map() };
/** Limit of the current versions that are read and parsed together. Bytes. */
const READ_BYTES_MAX = 2 * 1024 * 1024;
/** Limit of the texts and contexts that the entries of one store keep. UTF-16 units. */
const KEPT_LENGTH_MAX = 16 * 1024 * 1024;

/**
 * Returns whether the current version is still the planned one. The row id is not enough, because it may be
 * reused after a rollback.
 */
export function isStillCurrent(loaded: LoadedPartition, keyHash: string, { version }: PlannedEntry): boolean {
  const now = versionOf(loaded, keyHash);
  return now?.rowId === version?.rowId && now?.revision === version?.revision;
}

/** Returns the current version of a key, including staged versions. */
export function versionOf({ staged, partition }: LoadedPartition, keyHash: string): Version | undefined {
  const next = staged.get(keyHash);
  if (next !== undefined) return next.row ?? undefined;
  const slot = partition.slotOf(keyHash);
  if (slot === undefined) return undefined;
  return {
    rowId: partition.columns.numbers.rowId[slot]!,
    revision: partition.columns.numbers.revision[slot]!,
  };
}

/** Plans each entry based on the current version of its key. Synchronous if all of these are in RAM. */
export function planEntries(
  tier: PlanParts,
  loaded: LoadedPartition,
  entries: readonly StoreItem[],
  plan: PlanOver,
): PlannedEntry[] | Promise<PlannedEntry[]> {
  const parts = [...chunksOf(entries, (item) => replacedBytes(loaded, item), READ_BYTES_MAX)];
  const isInRam = missingRows(tier, loaded, entries, NOTHING_READ).length === 0;
  const hasVectors = loaded.partition.vectors?.isResident !== false;
  if (parts.length > 1 || !isInRam || !hasVectors) return planInParts(tier, loaded, parts, plan);
  const planned = planPeeked(tier, loaded, entries, { plan, read: NOTHING_READ });
  limitKeptText(entries, planned);
  return planned;
}

async function planInParts(
  tier: PlanParts,
  loaded: LoadedPartition,
  parts: readonly (readonly StoreItem[])[],
  plan: PlanOver,
): Promise<PlannedEntry[]> {
  const entries = parts.flat();
  const planned: PlannedEntry[] = [];
  const yielder = new Yielder();
  for (const part of parts) {
    planned.push(...(await planPart(tier, loaded, part, plan)));
    limitKeptText(entries, planned);
    await yielder.yieldIfDue();
  }
  return planned;
}

/** Returns the bytes of the body that an entry replaces. */
function replacedBytes({ partition }: LoadedPartition, { key_hash }: StoreItem): number {
  const slot = partition.slotOf(key_hash);
  return slot === undefined ? 0 : partition.columns.bodyBytes[slot]!;
}

/**
 * Refuses entries that would keep too much text of their former versions. Kept text is logged in addition to
 * the message, so its total is limited.
 */
function limitKeptText(entries: readonly StoreItem[], planned: PlannedEntry[]): void {
  let kept = 0;
  for (const [index, { plan, version }] of planned.entries()) {
    if (!("draft" in plan)) continue;
    const own = keptLength(entries[index]!, plan.draft.body);
    if (kept + own <= KEPT_LENGTH_MAX) kept += own;
    else planned[index] = { version, plan: { outcome: "refused", error: keptError(kept + own) } };
  }
}

function keptLength({ text, context }: StoreItem, body: RowBody): number {
  return (
    (text === undefined ? (body.text?.length ?? 0) : 0) +
    (context === undefined ? (body.context?.length ?? 0) : 0)
  );
}

function keptError(got: number): MemoryError {
  const max = KEPT_LENGTH_MAX;
  const message = `the entries of a store keep at most ${max} characters of former texts and contexts, store fewer entries at once`;
  return new MemoryError("too_large", message, { limit: "context", path: "context", max, got });
}

/** Plans a part, and reads again if a version changes during the read. */
async function planPart(
  tier: PlanParts,
  loaded: LoadedPartition,
  entries: readonly StoreItem[],
  plan: PlanOver,
): Promise<PlannedEntry[]> {
  const read = { bodies: new Map<number, string>(), vectors: new Map<number, Float32Array>() };
  for (;;) {
    const missing = missingRows(tier, loaded, entries, read);
    const bare = missing.length > 0 ? [] : rowsWithoutVector(tier, loaded, entries, read);
    if (missing.length + bare.length === 0) return planPeeked(tier, loaded, entries, { plan, read });
    for (const [rowId, vector] of await vectorsOfRows(tier.vectors, loaded, bare))
      read.vectors.set(rowId, vector);
    const bodies = await tier.bodies.get(loaded.id, missing);
    for (const rowId of missing) {
      const body = bodies.get(rowId);
      if (body !== undefined) read.bodies.set(rowId, body);
      else if (isLive(loaded, rowId)) throw new Error("the body of a current row is missing");
    }
  }
}

function isLive({ partition: { columns } }: LoadedPartition, rowId: number): boolean {
  const slot = columns.numbers.rowId.indexOf(rowId);
  return slot >= 0 && slot < columns.count && columns.alive[slot] === 1;
}

/** Returns the current rows that need their bodies read first. */
function missingRows(
  tier: PlanParts,
  { staged, partition }: LoadedPartition,
  entries: readonly StoreItem[],
  { bodies: read }: ReadRows,
): number[] {
  const missing: number[] = [];
  for (const { key_hash } of entries) {
    const slot = staged.has(key_hash) ? undefined : partition.slotOf(key_hash);
    if (slot === undefined) continue;
    const rowId = partition.columns.numbers.rowId[slot]!;
    if (!read.has(rowId) && tier.bodies.peek(rowId) === undefined) missing.push(rowId);
  }
  return missing;
}

/**
 * Returns the current rows with a vector in storage that the plan needs: one from a caller, which is kept or compared. Their
 * bodies are in RAM.
 */
function rowsWithoutVector(
  tier: PlanParts,
  { staged, partition }: LoadedPartition,
  entries: readonly StoreItem[],
  { bodies, vectors }: ReadRows,
): { readonly keyHash: string; readonly rowId: number }[] {
  return entries.flatMap(({ key_hash, embedding }) => {
    const slot = staged.has(key_hash) ? undefined : partition.slotOf(key_hash);
    if (slot === undefined || !partition.vectors?.isReleased(slot)) return [];
    const rowId = partition.columns.numbers.rowId[slot]!;
    if (vectors.has(rowId)) return [];
    const body = JSON.parse((tier.bodies.peek(rowId) ?? bodies.get(rowId))!) as RowBody;
    return embedding || body.embedding_given ? [{ keyHash: key_hash, rowId }] : [];
  });
}

/** Plans entries one after the other, because a parsed body takes many times its bytes. */
function planPeeked(
  tier: PlanParts,
  loaded: LoadedPartition,
  entries: readonly StoreItem[],
  { plan, read }: { readonly plan: PlanOver; readonly read: ReadRows },
): PlannedEntry[] {
  return entries.map((item) => {
    const previous = previousOf(tier, loaded, item.key_hash, read);
    const version = versionOf(loaded, item.key_hash);
    return { plan: plan(item, previous), version };
  });
}

function previousOf(
  tier: PlanParts,
  { staged, partition }: LoadedPartition,
  keyHash: string,
  { bodies, vectors }: ReadRows,
): Previous | undefined {
  const next = staged.get(keyHash);
  if (next !== undefined) return next.row === null ? undefined : previousOfRow(tier, next.row);
  const slot = partition.slotOf(keyHash);
  if (slot === undefined) return undefined;
  const rowId = partition.columns.numbers.rowId[slot]!;
  const vector = partition.vectors?.vectorOf(slot) ?? vectors.get(rowId) ?? null;
  return previousOfSlot(partition, slot, (tier.bodies.peek(rowId) ?? bodies.get(rowId))!, vector);
}

function previousOfRow(tier: PlanParts, row: Row): Previous | undefined {
  if (isExpired(row, tier.clock.now())) return undefined;
  const facets = JSON.parse(row.facets) as RowFacets;
  return { ...row, facets, body: JSON.parse(row.body) as RowBody };
}

function previousOfSlot(
  partition: Partition,
  slot: number,
  body: string,
  vector: Float32Array | null,
): Previous {
  const { columns, keys, vectors } = partition;
  return {
    keyHash: keys.hashOf(slot),
    group: columns.groups[slot]!,
    facets: partition.facetsOf(slot),
    body: JSON.parse(body) as RowBody,
    embedder: vectors?.embedder ?? "",
    vector,
    ...columns.numbersAt(slot),
  };
}
