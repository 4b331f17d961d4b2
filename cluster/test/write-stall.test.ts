import type { ClusterInfo, PeerInfo } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { expect, it } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { WriteStall } from "../src/log/write-stall.js";
import { TestClock } from "./test-clock.js";

const replica = (name: string, activeMs: number): PeerInfo => ({
  ...{ name, current: true, offline: false, lag: 0 },
  active: nanos(activeMs),
});
const servers = (leader: string, ...replicas: PeerInfo[]) => ({ leader, replicas }) as ClusterInfo;

const CASES: readonly (readonly [string, ClusterInfo | undefined, RegExp])[] = [
  ["servers that are down", servers("n1", replica("n2", 4_000), replica("n3", 100)), /late: n2$/],
  ["a missing leader", servers("", replica("n2", 100), replica("n3", 100)), /it has no leader/],
  ["no answer", undefined, /it has no leader/],
  ["healthy servers", servers("n1", replica("n2", 100), replica("n3", 100)), /Restart .* leads it: n1$/],
];

it.each(CASES)("a stalled log with %s names the remedy", async (_, found, remedy) => {
  const [clock, logger] = [new TestClock(), new RecordingLogger()];
  const stall = new WriteStall({ clock, logger });
  stall.failed("s", found);
  await clock.advance(14_999);
  stall.failed("s", found);
  expect(stall.isReported).toBe(false);
  await clock.advance(1);
  for (let attempt = 1; attempt <= 2; attempt++) stall.failed("s", found);
  expect(stall.isReported).toBe(true);
  expect(logger.messages("error")).toEqual([expect.stringMatching(remedy)]);
});

it("an answer ends a stall", async () => {
  const [clock, logger] = [new TestClock(), new RecordingLogger()];
  const stall = new WriteStall({ clock, logger });
  for (let round = 1; round <= 2; round++) {
    stall.failed("s", undefined);
    await clock.advance(15_000);
    stall.end();
  }
  expect(logger.lines).toEqual([]);
});
