// `npm run mutants`: runs on every mutant the check that is meant to find it, and prints for each MUST clause whether
// something shows that it is held to. Exits 1 when a mutant lives, or when nothing breaks a clause.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { MUTANTS } from "./all.js";
import { clauseReport } from "./clause-report.js";
import type { Verdict } from "./judge.js";
import { judgeAll } from "./judge-all.js";

const HELP = `npm run mutants -- [--only TEXT] [--json FILE]

  --only TEXT  only mutants whose id, or whose check's id, begins with it
  --json FILE  writes {mutants: [{id, check, said, killed}], clauses: [{id, killed: [mutant]}]}
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
  const mutants = await judgeAll(wanted, ({ id, check, said, killed }) => {
    const count = `${++done}/${wanted.length}`.padStart(9);
    const verdict = killed ? "killed" : "ALIVE ";
    const instead = killed ? "" : `, which said: ${said || "nothing"}`;
    process.stdout.write(`${count}  ${verdict}  ${id}  by ${check}${instead}\n`);
  });
  const isAlive = printMutants(mutants);
  const clauses = clauseReport(mutants.filter(({ killed }) => killed));
  const isBare = values.only === "" && printClauses(clauses);
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ mutants, clauses }, null, 2)}\n`);
  if (isAlive || isBare) process.exitCode = 1;
}

/** Whether any lives. */
function printMutants(mutants: readonly Verdict[]): boolean {
  const killedCount = mutants.filter(({ killed }) => killed).length;
  process.stdout.write(`\nmutants: ${killedCount} of ${mutants.length} killed\n`);
  return killedCount < mutants.length;
}

/** Whether any is broken by no mutant that was killed. */
function printClauses(clauses: ReturnType<typeof clauseReport>): boolean {
  const bare = clauses.filter(({ killed }) => killed.length === 0);
  for (const { id, killed } of clauses) {
    process.stdout.write(`${id.padEnd(10)} ${killed.join(", ") || "nothing breaks it"}\n`);
  }
  process.stdout.write(`\nMUST clauses: ${clauses.length - bare.length} of ${clauses.length} held to\n`);
  return bare.length > 0;
}
