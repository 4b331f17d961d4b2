import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parse } from "yaml";

export type Level = "MUST" | "SHOULD" | "MAY";

export interface Clause {
  readonly id: string;
  readonly level: Level;
  readonly text: string;
}

const CLAUSES_FILE = createRequire(import.meta.url).resolve("@membus/protocol/spec/clauses.yaml");

/** Normative sentences of the protocol by clause id. */
export const CLAUSES: ReadonlyMap<string, Clause> = new Map(
  (parse(readFileSync(CLAUSES_FILE, "utf8")) as Clause[]).map((clause) => [clause.id, clause]),
);

/** Returns the highest level of these clauses. */
export function levelOf(clauseIds: readonly string[]): Level {
  const levels = clauseIds.map((id) => CLAUSES.get(id)?.level);
  return levels.includes("MUST") ? "MUST" : "SHOULD";
}
