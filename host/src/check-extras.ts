import { type MemoryEntry, type PluginRetrieveRequest, RankingExplanationSchema } from "@membus/protocol";

/** What is lost where a plugin computes a score in another order, or in float32. */
const SCORE_TOLERANCE = 1e-6;

type Neighbour = NonNullable<MemoryEntry["neighbours"]>["before"][number];

/** What is wrong with the neighbours and the explanation of an entry of the right shape (clauses RET-29 to RET-31). */
export function extrasProblem(entry: MemoryEntry, request: PluginRetrieveRequest): string | undefined {
  return neighboursProblem(entry, request) ?? explanationProblem(entry, request);
}

export function isRankingExplanation(explain: unknown): boolean {
  return RankingExplanationSchema.safeParse(explain).success;
}

function neighboursProblem(entry: MemoryEntry, request: PluginRetrieveRequest): string | undefined {
  const { neighbours } = entry;
  const { expand } = request;
  if (expand === undefined) return neighbours === undefined ? undefined : "neighbours not asked for";
  if (neighbours === undefined) return "an entry without neighbours, which were asked for";
  const { before, after } = neighbours;
  if (before.length > expand.before || after.length > expand.after) return "more neighbours than asked for";
  for (const neighbour of [...before, ...after]) {
    const problem = neighbourProblem(neighbour, entry, request);
    if (problem !== undefined) return problem;
  }
  const seqs = [...before, entry, ...after].map(({ seq }) => seq);
  const isAscending = seqs.every((seq, index) => index === 0 || seqs[index - 1]! < seq);
  return isAscending ? undefined : "neighbours that are not in the order of seq";
}

function neighbourProblem(
  neighbour: Neighbour,
  { tier, namespace, group }: MemoryEntry,
  { include }: PluginRetrieveRequest,
): string | undefined {
  if (neighbour.tier !== tier || neighbour.namespace !== namespace) return "a neighbour of another partition";
  if (group === undefined || neighbour.group !== group) return "a neighbour of another group";
  if (neighbour.score !== neighbour.importance) return "a neighbour whose score is not its importance";
  if (neighbour.embedding !== undefined) return "a neighbour with a vector";
  if (neighbour.context !== undefined && !include.includes("context")) return "context not asked for";
  return undefined;
}

function explanationProblem(
  { explain, score }: MemoryEntry,
  request: PluginRetrieveRequest,
): string | undefined {
  if (!request.explain) return explain === undefined ? undefined : "an explanation not asked for";
  if (explain === undefined) return "an entry without an explanation, which was asked for";
  const { relevance, rerank = relevance, importance, recency } = explain;
  const isExplained = Math.abs(rerank * importance * recency - score) <= SCORE_TOLERANCE;
  return isExplained ? undefined : "a score that its explanation does not make";
}
