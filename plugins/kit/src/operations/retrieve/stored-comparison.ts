import {
  type LoadedPartition,
  type RowSimilarities,
  type StoredVectors,
  vectorsOfRows,
} from "../../lifecycle/index.js";
import { hashesOf, type Partition, similarity, wordScores } from "../../search/index.js";
import type { PreparedQuery } from "./query.js";
import type { ScanPlan } from "./retrieve-plan.js";
import { TopSlots } from "./slot-order.js";

/** Candidates by meaning, and by words. Diversity and reranking choose from at most 200. */
const CANDIDATES_MIN = { nearest: 400, byWords: 200 };
/** Candidates by meaning if a filter excludes most of them. */
const NEAREST_MAX = 4_000;
/** If a filter allows no more slots than this, the vectors of all of them are read. */
const FEW_SLOTS = 2_000;

/** Entries that were compared with a query by their stored vectors. */
export interface Comparison {
  /** Similarity by row id. */
  readonly similarities: Pick<RowSimilarities, "get" | "set">;
  /** Ids of the rows that an index chose. Absent if all rows are compared. */
  readonly chosen: Set<number> | undefined;
  /** Later revisions are compared, too. */
  readonly lastRevision: number;
}

/** Slots of a partition after a comparison. Valid until the next mutation. */
export interface ComparedSlots {
  /** 1 for a slot that may be found. */
  readonly allowed: Uint8Array;
  /** NaN for a slot without a vector. */
  readonly similarities: Float64Array;
  /** Rows that were stored during the comparison. */
  readonly missing: readonly { readonly keyHash: string; readonly rowId: number }[];
}

/** A query by vector, over the slots of a filter. */
export interface ComparedQuery {
  readonly plan: ScanPlan;
  readonly query: PreparedQuery & { readonly vector: Float32Array };
  readonly allowed: Uint8Array;
}

/** Compares the rows of a partition with a query: all of them, or those that an index and the words choose. */
export async function compareStored(
  stored: StoredVectors,
  { id, partition }: LoadedPartition,
  compared: ComparedQuery,
): Promise<Comparison> {
  const { plan, query, allowed } = compared;
  const { lastRevision } = partition;
  const ofAll = (similarities: Comparison["similarities"]) => ({
    similarities,
    chosen: undefined,
    lastRevision,
  });
  if (plan.exact) return ofAll(await stored.all(id, query.vector));
  const { rowId } = partition.columns.numbers;
  const idsOf = (slots: readonly number[]) => slots.map((slot) => rowId[slot]!);
  const allowedCount = countOf(allowed);
  if (allowedCount <= FEW_SLOTS)
    return ofAll(await compareRows(stored, id, query.vector, idsOf(markedSlots(allowed))));
  const byWords = idsOf(bestByWords(partition, compared));
  const [similarities, ofWords] = await Promise.all([
    stored.nearest(id, query.vector, nearestCount(plan, partition.liveCount / allowedCount)),
    compareRows(stored, id, query.vector, byWords),
  ]);
  for (const [row, value] of ofWords) similarities.set(row, value);
  return { similarities, chosen: new Set([...similarities.keys(), ...byWords]), lastRevision };
}

/** Adds rows that were stored during a comparison. Errors as in `vectorsOfRows`. */
export async function compareMissing(
  stored: StoredVectors,
  loaded: LoadedPartition,
  { similarities, chosen }: Comparison,
  { missing, vector }: { readonly missing: ComparedSlots["missing"]; readonly vector: Float32Array },
): Promise<void> {
  for (const [row, found] of await vectorsOfRows(stored, loaded, missing))
    similarities.set(row, similarity(vector, found, 0));
  for (const { rowId } of missing) chosen?.add(rowId);
}

/** Returns the slots that were compared. */
export function comparedSlots(
  { columns, keys, vectors }: Partition,
  { similarities, chosen, lastRevision }: Comparison,
  allowed: Uint8Array,
): ComparedSlots {
  const { rowId, revision } = columns.numbers;
  const present = vectors!.present;
  const isChosen = chosen === undefined ? () => true : quickTest(chosen);
  const found = new Uint8Array(allowed.length);
  const values = new Float64Array(allowed.length).fill(Number.NaN);
  const missing: { keyHash: string; rowId: number }[] = [];
  for (let slot = 0; slot < allowed.length; slot++) {
    if (allowed[slot] === 0) continue;
    const row = rowId[slot]!;
    const isCompared = isChosen(row);
    const value = isCompared && present[slot] === 1 ? similarities.get(row) : undefined;
    if (isCompared && (present[slot] === 0 || value !== undefined)) {
      found[slot] = 1;
      values[slot] = value ?? Number.NaN;
    } else if (isCompared || revision[slot]! > lastRevision)
      missing.push({ keyHash: keys.hashOf(slot), rowId: row });
  }
  return { allowed: found, similarities: values, missing };
}

/** Returns a test whether an id is in a set. It looks up few of the others, because a set is slow. */
function quickTest(ids: ReadonlySet<number>): (id: number) => boolean {
  const mayContain = new Uint8Array(2 ** 16);
  for (const id of ids) mayContain[id & 0xffff] = 1;
  return (id) => mayContain[id & 0xffff] === 1 && ids.has(id);
}

async function compareRows(
  stored: StoredVectors,
  scope: string,
  vector: Float32Array,
  rowIds: readonly number[],
): Promise<Map<number, number>> {
  const similarities = new Map<number, number>();
  for (const [row, found] of await stored.read(scope, rowIds))
    if (found.length === vector.length) similarities.set(row, similarity(vector, found, 0));
  return similarities;
}

/** Returns how many rows to find, if only one in `sparsity` passes the filter. */
function nearestCount({ limit }: ScanPlan, sparsity: number): number {
  const count = Math.max(CANDIDATES_MIN.nearest, limit);
  return Math.min(Math.max(NEAREST_MAX, count), Math.ceil(count * sparsity));
}

/** Returns the slots with the best words. */
function bestByWords(partition: Partition, { query, plan, allowed }: ComparedQuery): number[] {
  const { terms } = query;
  if (terms.length === 0) return [];
  const scores = wordScores(partition.corpus(hashesOf(terms)), {
    terms,
    ...(plan.fields && { fields: plan.fields }),
  });
  const top = new TopSlots(
    Math.max(CANDIDATES_MIN.byWords, plan.limit),
    (a, b) => scores[b]! - scores[a]! || a - b,
  );
  for (let slot = 0; slot < allowed.length; slot++)
    if (allowed[slot] === 1 && scores[slot]! > 0) top.offer(slot);
  return top.sorted();
}

function markedSlots(marks: Uint8Array): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < marks.length; slot++) if (marks[slot] === 1) slots.push(slot);
  return slots;
}

function countOf(marks: Uint8Array): number {
  let count = 0;
  for (const mark of marks) count += mark;
  return count;
}
