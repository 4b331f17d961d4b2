import type { QueryTerm } from "../analyzer/analyzer.js";
import { COUNT_FIELDS, type CountField, fieldCount } from "../analyzer/packed-terms.js";
import type { Postings, RankCorpus } from "./corpus.js";

/** Where a term of a query occurs, under whichever of its hashes: a slot counts once, by its best in each field. */
export function termPostings(
  corpus: RankCorpus,
  { hash, alternatives = [] }: QueryTerm,
): Postings | undefined {
  const lists = [hash, ...alternatives].flatMap((each) => {
    const list = corpus.postings(each);
    return list !== undefined && list.size > 0 ? [list] : [];
  });
  return lists.length < 2 ? lists[0] : mergePostings(lists);
}

/** Lists in ascending order of slots, as all postings are. */
function mergePostings(lists: readonly Postings[]): Postings {
  return lists.toSorted((a, b) => a.size - b.size).reduce(mergeTwo);
}

function mergeTwo(one: Postings, other: Postings): Postings {
  const slots = new Uint32Array(one.size + other.size);
  const counts = new Uint16Array(slots.length);
  let size = 0;
  for (let left = 0, right = 0; left < one.size || right < other.size; size++) {
    const ours = left < one.size ? one.slots[left]! : Number.POSITIVE_INFINITY;
    const theirs = right < other.size ? other.slots[right]! : Number.POSITIVE_INFINITY;
    slots[size] = Math.min(ours, theirs);
    if (ours < theirs) counts[size] = one.counts[left++]!;
    else if (theirs < ours) counts[size] = other.counts[right++]!;
    else counts[size] = mostOf(one.counts[left++]!, other.counts[right++]!);
  }
  return { slots, counts, size };
}

function mostOf(one: number, other: number): number {
  return (
    most(one, other, COUNT_FIELDS.text) +
    most(one, other, COUNT_FIELDS.context) +
    most(one, other, COUNT_FIELDS.time)
  );
}

function most(one: number, other: number, field: CountField): number {
  return Math.max(fieldCount(one, field), fieldCount(other, field)) << field.shift;
}
