import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { CLAUSES, type Level } from "./clauses.js";

const FILE = new URL("../../exclusions.yaml", import.meta.url);

const ExclusionsSchema = z.record(z.string(), z.string().min(20)).nullable();

/** A clause that no check can test, with the reason. */
export interface ExcludedClause {
  readonly id: string;
  readonly level: Level | undefined;
  readonly text: string;
  readonly reason: string;
}

/** Loads the entries of `exclusions.yaml` in their order. Every report lists them. */
export function loadExclusions(): ExcludedClause[] {
  const reasons = ExclusionsSchema.parse(parse(readFileSync(FILE, "utf8"))) ?? {};
  return Object.entries(reasons).map(([id, reason]) => {
    const clause = CLAUSES.get(id);
    return { id, level: clause?.level, text: clause?.text ?? "", reason };
  });
}
