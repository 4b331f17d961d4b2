import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { MUTANTS } from "@membus/mutants";
import { CLAUSES } from "../src/catalogue/clauses.js";
import { loadExclusions } from "../src/catalogue/exclusions.js";
import { CHECKS } from "../src/checks/index.js";
import { traceabilityMarkdown } from "./traceability.js";

const FILE = fileURLToPath(new URL("../TRACEABILITY.md", import.meta.url));

function content(): string {
  return traceabilityMarkdown({
    clauses: [...CLAUSES.values()],
    checks: CHECKS,
    mutants: MUTANTS,
    exclusions: new Map(loadExclusions().map(({ id, reason }) => [id, reason])),
  });
}

function isStale(markdown: string): boolean {
  try {
    return readFileSync(FILE, "utf8") !== markdown;
  } catch {
    return true;
  }
}

/** Writes the table if it is stale. With `--check` it only reports a stale table and fails. */
function main(check: boolean): void {
  const markdown = content();
  if (!isStale(markdown)) return;
  process.stdout.write(`${check ? "stale" : "wrote"} ${relative(process.cwd(), FILE)}\n`);
  if (check) process.exitCode = 1;
  else writeFileSync(FILE, markdown);
}

main(process.argv.includes("--check"));
