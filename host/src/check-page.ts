import {
  comparePositions,
  isMemoryError,
  keyHash,
  type MemoryEntry,
  MemoryEntrySchema,
  matches,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  positionOf,
  type ScopeSelector,
  selectsNamespace,
} from "@membus/protocol";
import { extrasProblem, isRankingExplanation } from "./check-extras.js";

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
