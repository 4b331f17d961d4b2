import { monotonicClock } from "@membus/protocol";
import type { JsMsg } from "@nats-io/jetstream";
import { expect, it } from "vitest";
import type { LogStreams } from "../src/log/log-streams.js";
import { encodeHead, encodeRecord } from "../src/log/message-format.js";
import { SegmentReader } from "../src/log/segment-reader.js";
import { newPart, StreamSegment } from "../src/log/stream-segment.js";
import { TestHold } from "./test-hold.js";

const LAST = 4;

/** Message with one record. */
const messageOf = (seq: number) =>
  ({
    seq,
    headers: encodeHead({ firstSeq: seq }),
    data: encodeRecord(Buffer.from(`${seq}`)),
  }) as Partial<JsMsg> as JsMsg;

/** Reads a stream of four messages. The answers to requests have these messages, and the last one the rest. */
async function readAnswers(...answers: number[][]) {
  const streams = {
    infoOf: async () => ({ state: { messages: LAST, first_seq: 1, last_seq: LAST } }),
    async *messagesAfter() {
      yield* answers.shift()!.map(messageOf);
    },
    seqAfter: async (_segment: StreamSegment, seq: number) => seq + 1,
  } as unknown as LogStreams;
  const records: number[] = [];
  const onRecord = (seq: number) => void records.push(seq);
  const reader = new SegmentReader({ streams, hold: new TestHold(1), clock: monotonicClock, onRecord });
  const segment = new StreamSegment("log", newPart("log"), 1);
  expect(await reader.read(segment)).toBe(true);
  return { records, gaps: segment.gaps, damage: segment.damage, left: answers };
}

it.each([
  [
    "in the middle",
    [
      [1, 3, 4],
      [2, 3, 4],
    ],
  ],
  ["at the end", [[1, 2], [], [3, 4]]],
  ["all", [[], [1, 2, 3, 4]]],
])("messages that were lost on their way are read again: %s", async (_, answers) => {
  expect(await readAnswers(...answers)).toEqual({
    records: [1, 2, 3, 4],
    gaps: [],
    damage: undefined,
    left: [],
  });
});
