import {
  isMemoryError,
  type PluginForgetResult,
  type PluginStatusResult,
  type PluginStoreRequest,
  type PluginStoreResult,
  StoreOutcomeSchema,
  type StoreReceipt,
} from "@membus/protocol";

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

export function forgetProblem(result: PluginForgetResult): string | undefined {
  if (!Number.isSafeInteger(result.deleted) || result.deleted < 0) return "no count of deleted entries";
  if (result.at !== undefined && !Number.isFinite(result.at)) return "no time of acceptance";
  return result.purge === "done" || result.purge === "scheduled" ? undefined : "no state of the purge";
}

function listsProblem({ receipts, errors }: PluginStoreResult): string | undefined {
  if (!Array.isArray(receipts) || !Array.isArray(errors)) return "no list of receipts or errors";
  if (!receipts.every(isReceipt)) return "a malformed receipt";
  return errors.every(({ error }) => isMemoryError(error)) ? undefined : "an error that is no MemoryError";
}

function isReceipt({ outcome, revision }: StoreReceipt): boolean {
  return StoreOutcomeSchema.options.includes(outcome) && Number.isSafeInteger(revision) && revision >= 1;
}
