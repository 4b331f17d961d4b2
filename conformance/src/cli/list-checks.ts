import type { Check } from "../catalogue/check.js";
import { levelOf } from "../catalogue/clauses.js";
import { loadProfiles } from "../catalogue/profile.js";

/** Formats one line for each check: id, level, clauses, profiles and requirements. */
export function listChecks(checks: readonly Check[]): string {
  const profiles = loadProfiles();
  const rows = checks.map(({ id, clauses, features = [], withoutFeature, tiers = [] }) => {
    const scoredBy = profiles.filter((profile) => profile.checks.includes(id)).map(({ name }) => name);
    const needs = [
      ...features,
      ...(withoutFeature === undefined ? [] : [`not ${withoutFeature}`]),
      ...tiers.map((tier) => `tier ${tier}`),
    ];
    return [id, levelOf(clauses), clauses.join(" "), scoredBy.join(" ") || "no profile", needs.join(", ")];
  });
  return `${aligned(rows).join("\n")}\n${checks.length} checks\n`;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}
