// `npm run mutants` runs the check of every mutant and prints for each MUST clause whether a mutant proves
// that it is tested.
//
// Exits with 1 if a mutant survives or a clause has no mutant.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { MUTANTS } from "./all.js";
import { clauseReport } from "./clause-report.js";
import type { Verdict } from "./judge.js";
import { judgeAll } from "./judge-all.js";

const HELP = `npm run mutants -- [--only TEXT] [--json FILE]
  --only TEXT  only mutants with an id, or a check id, that begins with it
  --json FILE  writes {mutants: [{id, check, message, killed}], clauses: [{id, killed: [mutant]}]}
`;

const { values } = parseArgs({
  options: {
    json: { type: "string" },
    only: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const wanted = MUTANTS.filter(
    ({ id, check }) => id.startsWith(values.only) || check.startsWith(values.only),
  );
  let done = 0;
  const mutants = await judgeAll(wanted, ({ id, check, message, killed }) => {
    const count = `${++done}/${wanted.length}`.padStart(9);
    const verdict = killed ? "killed" : "ALIVE ";
    const instead = killed ? "" : `, with the message: ${message || "none"}`;
    process.stdout.write(`${count}  ${verdict}  ${id}  by ${check}${instead}\n`);
  });
  const isAlive = printMutants(mutants);
  const clauses = clauseReport(mutants.filter(({ killed }) => killed));
  const isBare = values.only === "" && printClauses(clauses);
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ mutants, clauses }, null, 2)}\n`);
  if (isAlive || isBare) process.exitCode = 1;
}

/** Prints the verdicts. Returns whether a mutant survived. */
function printMutants(mutants: readonly Verdict[]): boolean {
  const killedCount = mutants.filter(({ killed }) => killed).length;
  process.stdout.write(`\nmutants: ${killedCount} of ${mutants.length} killed\n`);
  return killedCount < mutants.length;
}

/** Prints the clauses. Returns whether a clause has no killed mutant. */
function printClauses(clauses: ReturnType<typeof clauseReport>): boolean {
  const bare = clauses.filter(({ killed }) => killed.length === 0);
  for (const { id, killed } of clauses) {
    process.stdout.write(`${id.padEnd(10)} ${killed.join(", ") || "no mutant"}\n`);
  }
  process.stdout.write(`\nMUST clauses: ${clauses.length - bare.length} of ${clauses.length} proven\n`);
  return bare.length > 0;
}
