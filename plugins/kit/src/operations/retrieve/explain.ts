import { type EntryExplanation, importanceFactor, type QueryField } from "@membus/protocol";
import type { LoadedPartition } from "../../lifecycle/index.js";
import {
  explainSlots,
  type PrefilterQuery,
  type RankCorpus,
  type SlotExplanation,
} from "../../search/index.js";
import type { ScanPlan } from "./retrieve-plan.js";

/** Ranking data of a partition. */
export interface Ranking {
  readonly corpus: RankCorpus;
  readonly query: PrefilterQuery;
}

type RelevanceParts = Pick<EntryExplanation, "terms" | "lexical" | "similarity" | "group" | "relevance">;

const UNRANKED: RelevanceParts = Object.freeze({
  terms: [],
  lexical: 0,
  similarity: null,
  group: 0,
  relevance: 1,
});

/** Explains the scores of these slots, in their order (clauses RET-31 and RET-32). */
export function explainScores(
  { partition }: LoadedPartition,
  ranking: Ranking | undefined,
  found: readonly { readonly slot: number }[],
  recencyOf: ScanPlan["recencyOf"],
): EntryExplanation[] {
  const { importance, occurredAt } = partition.columns.numbers;
  const slots = found.map(({ slot }) => slot);
  const parts = ranking && explainSlots(ranking.corpus, ranking.query, slots);
  return slots.map((slot, index) => ({
    ...(parts === undefined ? UNRANKED : relevanceParts(parts[index]!, ranking!, slot)),
    importance: ranking ? importanceFactor(importance[slot]!) : importance[slot]!,
    recency: recencyOf?.(occurredAt[slot]!) ?? 1,
  }));
}

function relevanceParts(
  { terms, lexical, similarity, group, relevance }: SlotExplanation,
  { corpus, query }: Ranking,
  slot: number,
): RelevanceParts {
  const isCompared = query.vector !== undefined && corpus.vectors?.present[slot] === 1;
  return {
    terms: terms.map(({ fields, ...term }) => ({
      ...term,
      fields: (Object.keys(fields) as QueryField[]).filter((field) => fields[field] > 0),
    })),
    lexical,
    similarity: isCompared ? similarity : null,
    group,
    relevance,
  };
}
