import { monotonicClock, silentLogger } from "@membus/protocol";
import type { PeerInfo, StreamInfo } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { expect, it } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { WriteStall } from "../src/bucket/index.js";
import type { LogStreams } from "../src/log/log-streams.js";
import { MessageWriter } from "../src/log/message-writer.js";
import { newPart, StreamSegment } from "../src/log/stream-segment.js";
import { TestClock } from "./test-clock.js";
import { TestHold } from "./test-hold.js";

const replica = (name: string, activeMs: number): PeerInfo => ({
  ...{ name, current: true, offline: false, lag: 0 },
  active: nanos(activeMs),
});
const servers = (leader: string, ...replicas: PeerInfo[]) =>
  ({ cluster: { leader, replicas } }) as StreamInfo;
const CAUSE = new Error("timeout");

const CASES: readonly (readonly [string, StreamInfo | "missing" | undefined, RegExp])[] = [
  ["servers that are down", servers("n1", replica("n2", 4_000), replica("n3", 100)), /late: n2$/],
  ["a missing leader", servers("", replica("n2", 100), replica("n3", 100)), /it has no leader/],
  ["a deleted stream", "missing", /it does not exist any more\. Restore a backup into a new cluster$/],
  ["no answer", undefined, /reach each other and this host$/],
  ["healthy servers", servers("n1", replica("n2", 100), replica("n3", 100)), /Restart .* leads it: n1$/],
];

it.each(CASES)("a stalled log with %s names the remedy", async (_, found, remedy) => {
  const [clock, logger] = [new TestClock(), new RecordingLogger()];
  const stall = new WriteStall({ clock, logger });
  stall.failed("s", CAUSE, found);
  await clock.advance(14_999);
  stall.failed("s", CAUSE, found);
  expect(stall.problem).toBeUndefined();
  await clock.advance(1);
  for (let attempt = 1; attempt <= 2; attempt++) stall.failed("s", CAUSE, found);
  expect(stall.problem).toMatchObject({ code: "unavailable", message: expect.stringContaining("(timeout)") });
  expect(logger.messages("error")).toEqual([expect.stringMatching(remedy)]);
});

it("an answer ends a stall", async () => {
  const [clock, logger] = [new TestClock(), new RecordingLogger()];
  const stall = new WriteStall({ clock, logger });
  for (let round = 1; round <= 2; round++) {
    stall.failed("s", CAUSE, undefined);
    await clock.advance(15_000);
    stall.end("s");
  }
  expect(logger.lines).toEqual([]);
});

it("a message without an answer keeps a log from opening, and an open log waits for it", async () => {
  let isAnswering = false;
  const streams = {
    publish: async () => {
      if (!isAnswering) throw CAUSE;
      return true;
    },
    infoOf: async () => servers("n1"),
  } as unknown as LogStreams;
  const clock = { ...monotonicClock, elapsedMs: () => 100 * monotonicClock.elapsedMs() };
  const writer = new MessageWriter({ streams, hold: new TestHold(1), clock, logger: silentLogger });
  const segment = new StreamSegment("log", newPart("log"), 1);
  const write = () => writer.write(segment, { firstSeq: 1 }, new Uint8Array());
  await expect(write()).rejects.toMatchObject({ message: expect.stringContaining("leads it: n1") });
  expect(segment.streamSeq).toBe(0);
  writer.opened();
  const written = write();
  await expect.poll(() => writer.isStalled).toBe(true);
  isAnswering = true;
  await written;
  expect([writer.isStalled, segment.streamSeq]).toEqual([false, 1]);
});
