import { randomBytes } from "node:crypto";
import type { Storage } from "@membus/plugin-kit";
import { scopeId } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { episodic, loadIds, makeRow, scoped } from "../storage-fixture.js";
import type { Fault } from "./fake-s3.js";
import { S3Fixture } from "./s3-fixture.js";
import { isWrite, type S3Request } from "./s3-request.js";

const acme = episodic("acme");
const ALICE = scopeId(acme);

let fixture: S3Fixture;
beforeAll(async () => {
  fixture = await S3Fixture.open();
});
afterAll(() => fixture.close());

/** Loses the answer to the write with this number, from 1. Returns whether it was reached. */
function loseAnswer(number: number, answer: Fault["answer"]): () => boolean {
  let count = 0;
  const matches = (request: S3Request) => isWrite(request) && ++count === number;
  fixture.s3.fail({ matches, afterEffect: true, answer });
  return () => count >= number;
}

/** Repeats a step once, as the kit does after a failure. */
async function twice(step: () => Promise<unknown>): Promise<void> {
  await step().catch(step);
}

/** Appends rows 2 and 3, removes row 1, syncs and purges. */
async function write(storage: Storage, body: string): Promise<void> {
  await twice(async () => {
    await storage.removeFrom(2, [ALICE]);
    await storage.append(scoped(acme, makeRow(2), makeRow(3, { body })));
    await storage.remove([{ scope: ALICE, rowId: 1 }]);
    await storage.sync();
  });
  await twice(async () => {
    await storage.remove([{ scope: ALICE, rowId: 3 }]);
    await storage.sync();
    expect(await storage.maintain({ purge: true, tenant: "acme" })).toBe(true);
  });
}

it.each<Fault["answer"]>([500, "cut"])(
  "each write of an owner is done once if its answer is %s",
  async (answer) => {
    let number = 0;
    for (let isReached = true; isReached; ) {
      number++;
      const id = `${answer}-${number}`;
      const { storage } = await fixture.takeOver(id);
      const wasReached = loseAnswer(number, answer);
      const marker = randomBytes(200).toString("hex");
      await twice(async () => {
        await storage.removeFrom(1, [ALICE]);
        await storage.append(scoped(acme, makeRow(1)));
      });
      await twice(() => storage.sync());
      await write(storage, marker);
      isReached = wasReached();
      fixture.s3.heal();
      expect([number, await loadIds(storage, acme)]).toEqual([number, [2]]);
      expect([number, fixture.keysWith(marker)]).toEqual([number, []]);
      expect(storage.stats()).toMatchObject({ tables_damaged: 0 });
      const after = await fixture.takeOver(id);
      expect([number, await loadIds(after.storage, acme)]).toEqual([number, [2]]);
    }
    expect(number).toBeGreaterThan(20);
  },
  300_000,
);
