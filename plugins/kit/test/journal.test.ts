import { systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { FaultyLogFiles } from "../../disk/test/faulty-log-file.js";
import { openLog, temporaryDirectory } from "../../disk/test/log-fixture.js";
import { Backlog } from "../src/journal/backlog.js";
import { createLogJournal } from "../src/journal/journal.js";

const SCOPE = '["episodic","acme","alice",null,"default"]';

/** Returns a journal with records that take `applyMs` to apply, and the order of events. */
async function journalWith(applyMs: number) {
  const files = new FaultyLogFiles();
  const log = await openLog(await temporaryDirectory(), { openFile: files.openFile });
  const backlog = new Backlog({ countMax: 1_000, bytesMax: 1e9 });
  const journal = createLogJournal({ log, backlog, reserve: { isReleased: false }, appended: () => {} });
  const events: string[] = [];
  journal.onRollback((firstLostSeq) => events.push(`lost from ${firstLostSeq}`));
  const append = (removedCount: number) =>
    journal.append({
      build: () => ({
        at: 1,
        scope: SCOPE,
        rows: [],
        removed: Array.from({ length: removedCount }, (_, at) => at),
      }),
      stage: () => {},
      apply: (_, seq) => {
        const end = systemClock.now() + applyMs / 1_000;
        while (systemClock.now() < end);
        events.push(`applied ${seq}`);
      },
    });
  return { files, append, events };
}

const applied = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `applied ${from + at}`);

it("applies durable records in order, and all of them before a rollback of later ones", async () => {
  const { files, append, events } = await journalWith(5);
  const durable = Array.from({ length: 40 }, (_, at) => append(at % 2 === 0 ? 2_000 : 1));
  await durable[0];
  files.isFailing = true;
  await expect(append(1)).rejects.toMatchObject({ code: "unavailable" });
  expect(events).toEqual([...applied(1, 40), "lost from 41"]);
  await Promise.all(durable);
  files.isFailing = false;
  await append(1);
  expect(events).toEqual([...applied(1, 40), "lost from 41", "applied 41"]);
});
