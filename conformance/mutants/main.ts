// `npm run mutants`: runs the suite on every mutant and prints which checks found them. Exits 1 when one lives.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { MUTANTS } from "./index.js";
import type { Verdict } from "./judge.js";
import { judgeAll } from "./judge-all.js";
import { mutantReport } from "./mutant-report.js";
import { readSnapshot, surpriseOf, writeSnapshot } from "./snapshot.js";

const HELP = `npm run mutants -- [--json FILE] [--only TEXT] [--update]

  --json FILE  writes {total, killed, unkilled_checks, mutants: [{id, names, turned_red, ok}]}
  --only TEXT  only mutants whose id, or whose check's id, begins with it
  --update     pins what turned red in snapshot.json, instead of comparing with it
`;

const { values } = parseArgs({
  options: {
    json: { type: "string" },
    only: { type: "string", default: "" },
    update: { type: "boolean", default: false },
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
  const verdicts = await judgeAll(wanted, ({ id, check, ok }) => {
    const count = `${++done}/${wanted.length}`.padStart(9);
    process.stdout.write(`${count}  ${ok ? "killed" : "ALIVE "}  ${id}  by ${check}\n`);
  });
  if (values.update) {
    writeSnapshot(
      verdicts,
      MUTANTS.map(({ id }) => id),
    );
  }
  report(verdicts);
}

function report(verdicts: readonly Verdict[]): void {
  const snapshot = readSnapshot();
  const surprises = verdicts.flatMap((verdict) => surpriseOf(verdict, snapshot) ?? []);
  const result = mutantReport(verdicts, snapshot);
  const unkilled = values.only === "" ? result.unkilled_checks : [];
  for (const surprise of surprises) process.stdout.write(`\n${surprise}\n`);
  if (unkilled.length > 0) process.stdout.write(`\nMUST checks without a mutant: ${unkilled.join(", ")}\n`);
  process.stdout.write(`\nmutants: ${result.killed} of ${result.total} killed\n`);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  if (surprises.length + unkilled.length > 0) process.exitCode = 1;
}
