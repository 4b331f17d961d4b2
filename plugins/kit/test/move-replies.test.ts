import { expect, it } from "vitest";
import type { Journal } from "../src/journal/journal.js";
import { moveReplies } from "../src/journal/move-replies.js";
import { OperationMemory } from "../src/journal/operation-memory.js";
import { encodeRecord, type LogRecord } from "../src/journal/record.js";
import { TestClock } from "./test-clock.js";

const stamp = (id: string) => ({ tenant: "acme", agent: "alice", id, digest: "d", done: true });
const record = (id: string, at: number): LogRecord => ({
  ...{ at, scope: "", rows: [], removed: [] },
  op: stamp(id),
  result: { deleted: 0 },
});

it("replies are logged again in their former order, in whatever order they are read", async () => {
  const operations = new OperationMemory({ windowS: 600, countMax: 9, bytesMax: 9_999 });
  for (const seq of [1, 2, 3]) operations.remember(stamp(`op ${seq}`), seq, { seq });
  const reads: (() => void)[] = [];
  const read = (seq: number) =>
    new Promise<Buffer>((resolve) => {
      reads.push(() => resolve(Buffer.from(encodeRecord(record(`op ${seq}`, seq)))));
      if (reads.length === 3) for (const end of reads.toReversed()) end();
    });
  const appended: (string | undefined)[] = [];
  const append = async ({ build }: { build: () => LogRecord }) => void appended.push(build().op?.id);
  await moveReplies(4, {
    log: { read },
    journal: { append } as unknown as Journal,
    operations,
    clock: new TestClock(10),
    waitForCapacity: async () => {},
  });
  expect(appended).toEqual(["op 1", "op 2", "op 3"]);
});
