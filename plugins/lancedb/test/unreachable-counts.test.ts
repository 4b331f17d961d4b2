import { storageUnreachable } from "@membus/plugin-kit";
import { MemoryError } from "@membus/protocol";
import { expect, it } from "vitest";
import { UnreachableCounts } from "../src/table/unreachable-counts.js";

const noAnswer = new Error("Generic S3 error: HTTP error: error sending request");

it.each([
  ["a lost request", noAnswer, 1],
  ["an unreachable storage", storageUnreachable(noAnswer), 1],
  ["a shard of another owner", new MemoryError("unavailable", "moved", { reason: "shard_moved" }), 0],
  ["damage", new Error("Object at location a.lance not found"), 0],
])("counts %s as an outage or not", async (_, error, count) => {
  const counts = new UnreachableCounts();
  await expect(counts.of("reads", Promise.reject(error))).rejects.toBe(error);
  expect(counts.stats).toEqual({ unreachable_reads: count, unreachable_writes: 0 });
  await expect(counts.of("writes", Promise.reject(error))).rejects.toBe(error);
  expect(counts.stats).toEqual({ unreachable_reads: count, unreachable_writes: count });
});

it("returns the result of a task that succeeds", async () => {
  const counts = new UnreachableCounts();
  expect(await counts.of("reads", Promise.resolve(7))).toBe(7);
  expect(counts.stats).toEqual({ unreachable_reads: 0, unreachable_writes: 0 });
});
