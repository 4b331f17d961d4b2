import { didYouMean } from "@membus/protocol";
import { parse } from "yaml";
import { UsageError } from "../cli/usage-error.js";
import { type CheckResult, isOpen } from "../run/outcome.js";

/** Checks that are known to be red, each with the reason for accepting it. */
export type Baseline = ReadonlyMap<string, string>;

/**
 * Parses a baseline from YAML: one `check-id: reason` per line.
 * @throws {UsageError} for invalid YAML, an unknown check id, or an entry without a reason.
 */
export function parseBaseline(yaml: string, knownIds: readonly string[]): Baseline {
  const value = parsed(yaml) ?? {};
  if (typeof value === "object" && !Array.isArray(value)) return checkBaseline(value, knownIds);
  throw new UsageError("baseline: must be lines of `check-id: reason`");
}

/**
 * Validates a baseline.
 * @throws {UsageError} for an unknown check id or an entry without a reason.
 */
export function checkBaseline(given: object, knownIds: readonly string[]): Baseline {
  const entries = Object.entries(given);
  const problems = entries.flatMap(([id, reason]) => problemOf(id, reason, knownIds) ?? []);
  if (problems.length > 0) throw new UsageError(`baseline: ${problems.join("; ")}`);
  return new Map(entries as [string, string][]);
}

/** Returns stale baseline entries: their check ran and was not red. Remove them from the baseline. */
export function staleEntries(baseline: Baseline, results: readonly CheckResult[]): string[] {
  return results.filter(({ id, outcome }) => baseline.has(id) && !isOpen(outcome)).map(({ id }) => id);
}

function parsed(yaml: string): unknown {
  try {
    return parse(yaml);
  } catch (cause) {
    throw new UsageError(`baseline: ${(cause as Error).message}`, { cause });
  }
}

function problemOf(id: string, reason: unknown, knownIds: readonly string[]): string | undefined {
  if (!knownIds.includes(id)) return `unknown check \`${id}\`${didYouMean(id, knownIds)}`;
  if (typeof reason !== "string" || reason.trim() === "") return `\`${id}\` has no reason`;
  return undefined;
}
