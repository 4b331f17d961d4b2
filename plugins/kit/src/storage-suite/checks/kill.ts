import type { Storage } from "../../storage.js";
import { expectRowsExcept } from "../acknowledged.js";
import { ExpectedRows } from "../expected-rows.js";
import { acknowledge, type InterruptedStep, killDuring } from "../killed-writer.js";
import type { StorageCheck } from "../storage-check.js";
import { firstIdOf, ROUND_SCOPES, type RoundStep, removedOf, rowsOf, runStep } from "../write-rounds.js";

/** Expects every acknowledged row, and nothing else except the possible rows of the interrupted step. */
async function expectAcknowledged(
  storage: Storage,
  expectedRows: ExpectedRows,
  { step, round }: InterruptedStep,
  when: string,
): Promise<void> {
  const added = step === "append" ? rowsOf(round) : [];
  const removed = step === "remove" ? removedOf(round) : [];
  for (const scope of ROUND_SCOPES) {
    const optionalIds = new Set([
      ...added.filter((one) => one.scope === scope).map(({ row }) => row.rowId),
      ...removed.map(({ rowId }) => rowId),
    ]);
    await expectRowsExcept(storage, scope, { optionalIds, rows: expectedRows.rowsOf(scope), added }, when);
  }
}

/** Repeats the interrupted step like the kit: an incomplete flush is removed first. */
async function repeatStep(storage: Storage, { step, round }: InterruptedStep): Promise<void> {
  if (step === "append") await storage.removeFrom(firstIdOf(round), ROUND_SCOPES);
  await runStep(storage, step, round);
}

function killCheck(step: RoundStep, rule: string): StorageCheck {
  return {
    id: `kill/${step}`,
    rule,
    async run(bench) {
      const directory = await bench.directory();
      const expectedRows = new ExpectedRows();
      let round = 0;
      const { killCount } = bench.options;
      for (let kill = 1; kill <= killCount; kill++) {
        const cut = await killDuring(
          { step, part: kill / (killCount + 1) },
          bench,
          directory,
          round,
          expectedRows,
        );
        const when = `after kill ${kill}, during ${cut.step} or right before`;
        let storage = await bench.open(directory);
        await expectAcknowledged(storage, expectedRows, cut, when);
        await repeatStep(storage, cut);
        acknowledge(expectedRows, cut);
        await expectedRows.expectIn(storage, `${when}, after the step is repeated`);
        storage = await bench.reopen(storage, directory);
        await expectedRows.expectIn(storage, `${when}, after the step is repeated and reopening`);
        await bench.close(storage);
        round = cut.round + 1;
      }
    },
  };
}

const appended = killCheck(
  "append",
  "After a kill during an append, a storage opens with every row that was synced before, and `removeFrom` deletes the others.",
);
const removed = killCheck(
  "remove",
  "After a kill during a removal, a storage opens with every row it should have, and without rows with a synced removal.",
);
const purged = killCheck(
  "purge",
  "After a kill during a purge, a storage opens with all of its rows: maintenance replaces data only after the replacement is complete.",
);

export const killChecks = [appended, removed, purged];
