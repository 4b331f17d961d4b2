import type { QueryTerm } from "../analyzer/analyzer.js";
import { FIELD_SHIFT, fieldCount } from "../analyzer/packed-terms.js";
import type { Postings, RankCorpus } from "./corpus.js";

/** Where a term of a query occurs, under whichever of its hashes: a slot counts once, by its best in each field. */
export function termPostings(
  corpus: RankCorpus,
  { hash, alternatives = [] }: QueryTerm,
): Postings | undefined {
  const lists = [hash, ...alternatives]
    .map((each) => corpus.postings(each))
    .filter((list) => list !== undefined);
  return lists.length < 2 ? lists[0] : mergePostings(lists);
}

function mergePostings(lists: readonly Postings[]): Postings {
  const best = new Map<number, number>();
  for (const { slots, counts, size } of lists) {
    for (let index = 0; index < size; index++) {
      const slot = slots[index]!;
      best.set(slot, mostOf(best.get(slot) ?? 0, counts[index]!));
    }
  }
  const slots = Uint32Array.from(best.keys()).sort();
  return { slots, counts: slots.map((slot) => best.get(slot)!), size: slots.length };
}

function mostOf(one: number, other: number): number {
  const shifts = Object.values(FIELD_SHIFT);
  return shifts.reduce(
    (counts, shift) => counts + (Math.max(fieldCount(one, shift), fieldCount(other, shift)) << shift),
    0,
  );
}
