import { randomUUID } from "node:crypto";
import { delay, MemoryError, type MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { isFull, isTemporary, storeError, WriteStall } from "../bucket/index.js";
import type { ShardHold } from "../place/index.js";
import type { LogStreams } from "./log-streams.js";
import { lostLog } from "./lost-log.js";
import type { MessageHead } from "./message-format.js";
import type { SpaceWatch } from "./space-watch.js";
import type { StreamSegment } from "./stream-segment.js";

const RETRY_MS = 50;

export interface WriterParts {
  readonly streams: LogStreams;
  readonly hold: ShardHold;
  readonly clock: MonotonicClock;
  readonly logger: Logger;
  readonly space?: SpaceWatch | undefined;
}

/** Writes messages of one owner. A message without an answer is written again until its fate is known. */
export class MessageWriter {
  readonly #parts: WriterParts;
  /** Beginning of the ids of messages. A repeated message is recognized by its id, which no other message has. */
  readonly #id = randomUUID();
  #messageCount = 0;
  #isOpening = true;
  readonly #stall: WriteStall;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#stall = new WriteStall(parts);
  }

  /** Whether a message has had no answer for 15 seconds. */
  get isStalled(): boolean {
    return this.#stall.problem !== undefined;
  }

  /** Repeats writes without end from now on. Until then a write gives up after 15 seconds, so that the log does not open. */
  opened(): void {
    this.#isOpening = false;
  }

  /**
   * Writes a message after the last known one of its segment.
   * @throws {MemoryError} `memory_full` if the servers have no space. The message is not in the segment then.
   * `unavailable` once the shard is lost, also to another owner that has written to the segment. `runtime_error`
   * for a message that the servers never accept.
   */
  async write(segment: StreamSegment, head: MessageHead, data: Uint8Array): Promise<void> {
    if (await this.follow(segment, head, data)) return;
    throw lostLog(this.#parts.hold, `another owner has written to stream ${segment.name}`);
  }

  /** Writes a message like `write`. @returns false if another owner has written to the segment. */
  async follow(segment: StreamSegment, head: MessageHead, data: Uint8Array): Promise<boolean> {
    const { streams, hold, clock, space } = this.#parts;
    const id = `${this.#id}-${++this.#messageCount}`;
    for (let isFirst = true; ; isFirst = false) {
      await hold.untilOwned();
      try {
        const isWritten = await streams.publish(segment, head, data, id);
        // One server refuses a message that it stored without an answer, several recognize its id.
        if (!isWritten && !(await streams.hasNext(segment, id))) return false;
        segment.streamSeq += 1;
        this.#stall.end(segment.name);
        space?.wrote(data.length);
        return true;
      } catch (error) {
        await this.#checkRepeatable(error, isFirst, segment);
      }
      await delay(clock, RETRY_MS);
    }
  }

  /** Throws if the message must not be written again. */
  async #checkRepeatable(error: unknown, isFirst: boolean, { name }: StreamSegment): Promise<void> {
    const known = isFull(error) ? fullError(error) : storeError(error);
    // An earlier attempt may have been stored before the space ended.
    const isRepeatable = isFull(error) ? !isFirst : isTemporary(known);
    if (!isRepeatable) throw known;
    const { streams, hold } = this.#parts;
    const info = await streams.infoOf(name).catch(() => "unknown" as const);
    // A message to a stream that is deleted never gets an answer.
    if (info === undefined) throw lostLog(hold, `the stream ${name} is missing`);
    const problem = this.#stall.failed(name, known, info === "unknown" ? undefined : info);
    if (problem !== undefined && this.#isOpening) throw problem;
  }
}

function fullError(cause: unknown): MemoryError {
  const message = `JetStream has no space for the log: ${(cause as Error).message}. Raise its limits`;
  return new MemoryError("memory_full", message, { limit: "disk" }, { cause });
}
