import {
  comparePositions,
  isMemoryError,
  keyHash,
  LIMITS,
  type ListItem,
  type MemoryEntry,
  MemoryEntrySchema,
  matches,
  type PluginErasureResult,
  type PluginForgetRequest,
  type PluginForgetResult,
  type PluginListRequest,
  type PluginListResult,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  type PluginStatusResult,
  type PluginStoreRequest,
  type PluginStoreResult,
  positionOf,
  RankingExplanationSchema,
  type ScopeSelector,
  StoreOutcomeSchema,
  type StoreReceipt,
  selectsNamespace,
} from "@membus/protocol";

/** Hashing a key costs as much as all other checks of an entry, so a page is checked by sample. */
const KEY_HASHES_CHECKED = 8;

/** What is wrong with a page that a plugin returned; undefined when it is what was asked for (clause PLUG-12). */
export function pageProblem(
  result: PluginRetrieveResult,
  selector: ScopeSelector,
  request: PluginRetrieveRequest,
): string | undefined {
  const { entries, total, total_relation, cut, degraded } = result;
  if (!Array.isArray(entries)) return "no list of entries";
  if (entries.length > request.limit) return "more entries than the limit";
  if (!Number.isSafeInteger(total) || total < entries.length) return "a total below what was returned";
  if (total_relation !== "eq" && total_relation !== "gte") return "no total_relation";
  if (cut !== undefined && (cut !== true || entries.length === 0)) return "a page cut before its first entry";
  if (degraded !== undefined && !isMemoryError(degraded)) return "a degradation that is no MemoryError";
  for (const entry of entries) {
    const problem = entryProblem(entry, selector, request) ?? extrasProblem(entry, request);
    if (problem !== undefined) return problem;
  }
  if (request.explain && !isRankingExplanation(result.explain)) return "no explanation of its ranking";
  return hashProblem(entries) ?? orderProblem(entries, request);
}

function entryProblem(
  entry: MemoryEntry,
  selector: ScopeSelector,
  request: PluginRetrieveRequest,
): string | undefined {
  const parsed = MemoryEntrySchema.safeParse(entry);
  if (!parsed.success) return `a malformed entry (${parsed.error.issues[0]?.path.join(".")})`;
  if (entry.tier !== selector.tier) return "an entry of another tier";
  if (!selectsNamespace(selector, entry.namespace)) return "an entry of another namespace";
  if (!matches(entry as MemoryEntry & Parameters<typeof matches>[0], request.filter)) {
    return "an entry that the filter does not hold for";
  }
  if (entry.score < request.min_score) return "an entry below min_score";
  if (entry.context !== undefined && !request.include.includes("context")) return "context not asked for";
  if (entry.embedding !== undefined && !request.include.includes("embedding"))
    return "a vector not asked for";
  if (entry.seq > entry.revision) return "an entry whose seq is above its revision";
  return undefined;
}

function hashProblem(entries: readonly MemoryEntry[]): string | undefined {
  const wrong = entries.slice(0, KEY_HASHES_CHECKED).some((entry) => keyHash(entry.key) !== entry.key_hash);
  return wrong ? "an entry whose key_hash is not its key's" : undefined;
}

/** Each entry stands behind the one before it, and the first behind the cursor; so none is there twice either. */
function orderProblem(entries: readonly MemoryEntry[], request: PluginRetrieveRequest): string | undefined {
  let previous = request.after;
  for (const entry of entries) {
    const position = positionOf(entry, request.order);
    if (previous !== undefined && comparePositions(previous, position, request.order) >= 0) {
      return "entries out of order, or before the cursor";
    }
    previous = position;
  }
  return undefined;
}

/** What is lost where a plugin computes a score in another order, or in float32. */
const SCORE_TOLERANCE = 1e-6;

type Neighbour = NonNullable<MemoryEntry["neighbours"]>["before"][number];

/** What is wrong with the neighbours and the explanation of an entry of the right shape (clauses RET-29 to RET-31). */
function extrasProblem(entry: MemoryEntry, request: PluginRetrieveRequest): string | undefined {
  return neighboursProblem(entry, request) ?? explanationProblem(entry, request);
}

function isRankingExplanation(explain: unknown): boolean {
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

/** What is wrong with the result of a store; undefined when each entry has one fate (clause PLUG-6). */
export function storeProblem(result: PluginStoreResult, request: PluginStoreRequest): string | undefined {
  const problem = listsProblem(result);
  if (problem !== undefined) return problem;
  const hashes = new Map(request.entries.map((entry) => [entry.index, entry.key_hash]));
  for (const { index, key_hash } of result.receipts) {
    if (hashes.get(index) !== key_hash) return "a receipt for another entry, or a second one";
    hashes.delete(index);
  }
  for (const { index } of result.errors) {
    if (!hashes.delete(index)) return "an error for another entry, or a second fate";
  }
  return hashes.size > 0 ? "an entry without receipt or error" : undefined;
}

export function statusProblem(result: PluginStatusResult | undefined): string | undefined {
  if (result === undefined) return undefined;
  return typeof result.done === "boolean" ? listsProblem(result) : "no `done`";
}

export function erasureProblem(result: PluginErasureResult | undefined): string | undefined {
  if (result === undefined) return undefined;
  if (result.purge === "done")
    return Number.isFinite(result.purged_at) ? undefined : "no time of the purge that is done";
  if (result.purge !== "scheduled") return "no state of the purge";
  const { purge_by } = result;
  return purge_by === undefined || Number.isFinite(purge_by) ? undefined : "no time of the purge to come";
}

export function forgetProblem(
  result: PluginForgetResult,
  { cascade, purge, dry_run }: PluginForgetRequest,
): string | undefined {
  if (!Number.isSafeInteger(result.deleted) || result.deleted < 0) return "no count of deleted entries";
  if (cascade && !areLevels(result)) return "no counts of what was derived";
  if (!cascade && result.cascaded !== undefined) return "counts of a cascade that was not asked for";
  if (result.at !== undefined && !Number.isFinite(result.at)) return "no time of acceptance";
  if (purge && !dry_run && result.purge !== "done") return "a purge that was asked for and is not done";
  return result.purge === "done" || result.purge === "scheduled" ? undefined : "no state of the purge";
}

/** What is wrong with a list; undefined when each value is there once, and can be one (clause PLUG-20). */
export function listProblem(
  { items }: PluginListResult,
  selector: ScopeSelector,
  { field, values_max }: PluginListRequest,
): string | undefined {
  if (!Array.isArray(items)) return "no list of items";
  if (items.length > values_max) return "more values than there may be";
  if (new Set(items.map(({ value }) => value)).size < items.length) return "a value twice";
  if (!items.every(isListItem)) return "a malformed item";
  if (field !== undefined) return undefined;
  const isSelected = ({ value }: ListItem) => typeof value === "string" && selectsNamespace(selector, value);
  return items.every(isSelected) ? undefined : "another namespace than was asked for";
}

/** By hand, as there may be very many. */
function isListItem({ value, count, newest, bytes }: ListItem): boolean {
  const isValue = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  const isCounted = Number.isSafeInteger(count) && count >= 1 && Number.isSafeInteger(bytes) && bytes >= 0;
  return isValue && isCounted && Number.isFinite(newest);
}

/** Whether derived entries are counted by level, each in `deleted` too (clause CASC-5). */
function areLevels({ cascaded, deleted }: PluginForgetResult): boolean {
  if (!Array.isArray(cascaded) || cascaded.length > LIMITS.cascadeLevels) return false;
  const areCounts = cascaded.every((count) => Number.isSafeInteger(count) && count >= 0);
  return areCounts && cascaded.reduce((sum, count) => sum + count, 0) <= deleted;
}

function listsProblem({ receipts, errors }: PluginStoreResult): string | undefined {
  if (!Array.isArray(receipts) || !Array.isArray(errors)) return "no list of receipts or errors";
  if (!receipts.every(isReceipt)) return "a malformed receipt";
  return errors.every(({ error }) => isMemoryError(error)) ? undefined : "an error that is no MemoryError";
}

function isReceipt({ outcome, revision }: StoreReceipt): boolean {
  return StoreOutcomeSchema.options.includes(outcome) && Number.isSafeInteger(revision) && revision >= 1;
}
