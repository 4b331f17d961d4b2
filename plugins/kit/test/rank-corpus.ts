import { measureEntry, type RankCorpus } from "../src/search/rank/index.js";

/** A slot in short form. */
export interface TestEntry {
  /** Occurrences by term hash: in text, context and time. */
  readonly terms: Readonly<Record<number, readonly [number, number, number]>>;
  readonly alive?: boolean;
  readonly group?: number;
  readonly vector?: readonly number[];
}

/** Builds the ranking data of a partition with these entries, slots in the given order. */
export function buildCorpus(entries: readonly TestEntry[], dimensions = 0): RankCorpus {
  const packed = entries.map(packEntry);
  const measured = packed.map((terms) => measureEntry(terms));
  const lengths = Float32Array.from(measured, ({ length }) => length);
  const alive = Uint8Array.from(entries, (entry) => (entry.alive === false ? 0 : 1));
  const corpus = {
    slotCount: entries.length,
    alive,
    liveCount: alive.reduce((count, flag) => count + flag, 0),
    lengths,
    contextShares: Float32Array.from(measured, ({ contextShare }) => contextShare),
    lengthTotal: lengths.reduce((total, length, slot) => total + length * alive[slot]!, 0),
    groups: Uint32Array.from(entries, (entry) => entry.group ?? 0),
    postings: (hash: number) => findPostings(packed, hash),
  };
  return dimensions === 0 ? corpus : { ...corpus, vectors: buildVectors(entries, dimensions) };
}

function packEntry({ terms }: TestEntry): Uint32Array {
  const pairs = Object.entries(terms).map(([hash, [text, context, time]]) => [
    Number(hash),
    text | (context << 8) | (time << 13),
  ]);
  return Uint32Array.from(pairs.flat());
}

function findPostings(packed: readonly Uint32Array[], hash: number) {
  const found: [slot: number, counts: number][] = [];
  for (const [slot, terms] of packed.entries()) {
    for (let index = 0; index < terms.length; index += 2) {
      if (terms[index] === hash) found.push([slot, terms[index + 1]!]);
    }
  }
  if (found.length === 0) return undefined;
  const slots = Uint32Array.from([...found.map(([slot]) => slot), 0]);
  const counts = Uint16Array.from([...found.map(([, count]) => count), 0]);
  return { slots, counts, size: found.length };
}

function buildVectors(entries: readonly TestEntry[], dimensions: number) {
  const data = new Float32Array(entries.length * dimensions);
  const present = new Uint8Array(entries.length);
  for (const [slot, { vector }] of entries.entries()) {
    if (vector === undefined) continue;
    data.set(vector, slot * dimensions);
    present[slot] = 1;
  }
  return { data, dimensions, present };
}
