import {
  isAgentName,
  isMemoryError,
  keyHash,
  LIMITS,
  type ListItem,
  type MemoryEntry,
  MemoryEntrySchema,
  matches,
  PurgeReasonSchema,
  RankingExplanationSchema,
  type ScopeSelector,
  StoreOutcomeSchema,
  type StoreReceipt,
  selectsNamespace,
} from "@membus/protocol";
import {
  comparePositions,
  type PluginAgentsRequest,
  type PluginAgentsResult,
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
} from "@membus/protocol/plugin";

/** Number of key hashes checked per page. Hashing a key costs as much as all other checks of an entry. */
const KEY_HASHES_CHECKED = 8;

/**
 * Returns the problem with a page from a plugin, or undefined if the page is valid (clause PLUG-12).
 * @param mayApproximate whether the plugin declares `approximate`.
 */
export function pageProblem(
  result: PluginRetrieveResult,
  selector: ScopeSelector,
  request: PluginRetrieveRequest,
  mayApproximate: boolean,
): string | undefined {
  const { entries, total, total_relation, cut, degraded, approximate } = result;
  if (!Array.isArray(entries)) return "no list of entries";
  if (entries.length > request.limit) return "more entries than the limit";
  if (!Number.isSafeInteger(total) || total < entries.length)
    return "a total below the number of returned entries";
  if (total_relation !== "eq" && total_relation !== "gte") return "no total_relation";
  if (cut !== undefined && (cut !== true || entries.length === 0))
    return "a page that is cut before its first entry";
  if (approximate !== undefined) {
    if (approximate !== true || !mayApproximate || request.exact) return "an unexpected approximate page";
    if (total_relation !== "gte") return "an exact total of an approximate page";
  }
  if (degraded !== undefined && !isMemoryError(degraded)) return "a `degraded` that is not a MemoryError";
  for (const entry of entries) {
    const problem = entryProblem(entry, selector, request) ?? extrasProblem(entry, request);
    if (problem !== undefined) return problem;
  }
  if (request.explain && !isRankingExplanation(result.explain)) return "no explanation of the ranking";
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
    return "an entry that does not match the filter";
  }
  if (entry.score < request.min_score) return "an entry below min_score";
  if (entry.context !== undefined && !request.include.includes("context"))
    return "context, which was not requested";
  if (entry.embedding !== undefined && !request.include.includes("embedding"))
    return "a vector, which was not requested";
  if (entry.seq > entry.revision) return "an entry with a seq above its revision";
  return undefined;
}

function hashProblem(entries: readonly MemoryEntry[]): string | undefined {
  const wrong = entries.slice(0, KEY_HASHES_CHECKED).some((entry) => keyHash(entry.key) !== entry.key_hash);
  return wrong ? "an entry with a key_hash of another key" : undefined;
}

/**
 * Checks that each entry comes after the one before it, and the first after the cursor. Duplicates are
 * therefore detected too.
 */
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

/** Tolerance for scores, because a plugin may compute in another order or in float32. */
const SCORE_TOLERANCE = 1e-6;

type Neighbour = NonNullable<MemoryEntry["neighbours"]>["before"][number];

/**
 * Returns the problem with the snippet, the neighbours and the explanation of a well-formed entry (clauses
 * RET-29 to RET-31 and RET-43).
 */
function extrasProblem(entry: MemoryEntry, request: PluginRetrieveRequest): string | undefined {
  const { snippet } = entry;
  if (request.include.includes("snippet") !== (snippet !== undefined))
    return snippet === undefined
      ? "an entry without the requested snippet"
      : "a snippet, which was not requested";
  return neighboursProblem(entry, request) ?? explanationProblem(entry, request);
}

function isRankingExplanation(explain: unknown): boolean {
  return RankingExplanationSchema.safeParse(explain).success;
}

function neighboursProblem(entry: MemoryEntry, request: PluginRetrieveRequest): string | undefined {
  const { neighbours } = entry;
  const { expand } = request;
  if (expand === undefined)
    return neighbours === undefined ? undefined : "neighbours, which were not requested";
  if (neighbours === undefined) return "an entry without the requested neighbours";
  const { before, after } = neighbours;
  if (before.length > expand.before || after.length > expand.after) return "more neighbours than requested";
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
  if (neighbour.score !== neighbour.importance) return "a neighbour with a score other than its importance";
  if (neighbour.embedding !== undefined) return "a neighbour with a vector";
  if (neighbour.snippet !== undefined) return "a neighbour with a snippet";
  if (neighbour.context !== undefined && !include.includes("context"))
    return "context, which was not requested";
  return undefined;
}

function explanationProblem(
  { explain, score }: MemoryEntry,
  request: PluginRetrieveRequest,
): string | undefined {
  if (!request.explain) return explain === undefined ? undefined : "an explanation, which was not requested";
  if (explain === undefined) return "an entry without the requested explanation";
  const { relevance, rerank = relevance, importance, recency } = explain;
  const isExplained = Math.abs(rerank * importance * recency - score) <= SCORE_TOLERANCE;
  return isExplained ? undefined : "a score that does not match its explanation";
}

/**
 * Returns the problem with the result of a store, or undefined if each entry has exactly one receipt or error
 * (clause PLUG-6).
 */
export function storeProblem(result: PluginStoreResult, request: PluginStoreRequest): string | undefined {
  const problem = listsProblem(result);
  if (problem !== undefined) return problem;
  const hashes = new Map(request.entries.map((entry) => [entry.index, entry.key_hash]));
  for (const { index, key_hash } of result.receipts) {
    if (hashes.get(index) !== key_hash)
      return "a receipt for an unknown entry, or a second receipt for an entry";
    hashes.delete(index);
  }
  for (const { index } of result.errors) {
    if (!hashes.delete(index))
      return "an error for an unknown entry, or for an entry that already has a receipt or error";
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
    return Number.isFinite(result.purged_at) ? undefined : "no purged_at for a completed purge";
  if (result.purge !== "scheduled") return "an invalid purge state";
  const { purge_by, purge_reason } = result;
  if (purge_by !== undefined && !Number.isFinite(purge_by)) return "an invalid purge_by";
  if (purge_reason === undefined || PurgeReasonSchema.safeParse(purge_reason).success) return undefined;
  return "an invalid purge_reason";
}

export function forgetProblem(
  result: PluginForgetResult,
  { cascade, purge, dry_run }: PluginForgetRequest,
): string | undefined {
  if (!Number.isSafeInteger(result.deleted) || result.deleted < 0) return "no valid count of deleted entries";
  if (cascade && !areLevels(result)) return "no valid counts of derived entries";
  if (!cascade && result.cascaded !== undefined) return "counts of a cascade that was not requested";
  if (result.at !== undefined && !Number.isFinite(result.at)) return "an invalid time of acceptance";
  if (purge && !dry_run && result.purge !== "done") return "a requested purge that is not done";
  return result.purge === "done" || result.purge === "scheduled" ? undefined : "an invalid purge state";
}

/** Returns the problem with a list, or undefined if each value is valid and unique (clause PLUG-20). */
export function listProblem(
  { items }: PluginListResult,
  selector: ScopeSelector,
  { field, values_max }: PluginListRequest,
): string | undefined {
  if (!Array.isArray(items)) return "no list of items";
  if (items.length > values_max) return "more values than allowed";
  if (new Set(items.map(({ value }) => value)).size < items.length) return "a duplicate value";
  if (!items.every(isListItem)) return "a malformed item";
  if (field !== undefined) return undefined;
  const isSelected = ({ value }: ListItem) => typeof value === "string" && selectsNamespace(selector, value);
  return items.every(isSelected) ? undefined : "a namespace that was not requested";
}

/** Returns the problem with a list of agents (clause PLUG-29). */
export function agentsProblem(
  { agents }: PluginAgentsResult,
  { after, limit }: PluginAgentsRequest,
): string | undefined {
  if (!Array.isArray(agents)) return "no list of agents";
  if (agents.length > limit) return "more agents than the limit";
  let previous = after ?? "";
  for (const name of agents) {
    if (typeof name !== "string" || !isAgentName(name)) return "an invalid name of an agent";
    if (name <= previous) return "agents out of order, or before the requested one";
    previous = name;
  }
  return undefined;
}

/** Checks an item by hand, because a list may be very long. */
function isListItem({ value, count, newest, bytes }: ListItem): boolean {
  const isValue = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  const isCounted = Number.isSafeInteger(count) && count >= 1 && Number.isSafeInteger(bytes) && bytes >= 0;
  return isValue && isCounted && Number.isFinite(newest);
}

/**
 * Returns whether derived entries are counted by level, and their sum does not exceed `deleted` (clause
 * CASC-5).
 */
function areLevels({ cascaded, deleted }: PluginForgetResult): boolean {
  if (!Array.isArray(cascaded) || cascaded.length > LIMITS.cascadeLevels) return false;
  const areCounts = cascaded.every((count) => Number.isSafeInteger(count) && count >= 0);
  return areCounts && cascaded.reduce((sum, count) => sum + count, 0) <= deleted;
}

function listsProblem({ receipts, errors }: PluginStoreResult): string | undefined {
  if (!Array.isArray(receipts) || !Array.isArray(errors)) return "no list of receipts or errors";
  if (!receipts.every(isReceipt)) return "a malformed receipt";
  return errors.every(({ error }) => isMemoryError(error)) ? undefined : "an error that is not a MemoryError";
}

function isReceipt({ outcome, revision }: StoreReceipt): boolean {
  return StoreOutcomeSchema.options.includes(outcome) && Number.isSafeInteger(revision) && revision >= 1;
}
