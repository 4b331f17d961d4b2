import type { LogPart } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import pLimit, { type LimitFunction } from "p-limit";
import type { LogParts } from "./log-parts.js";
import { lostLog } from "./lost-log.js";
import { newPart, StreamSegment } from "./stream-segment.js";

/** Delay before a forced segment is requested again while the log has too many. */
const RETRY_AFTER_MS = 1_000;

/**
 * Starts segments of a log. Their streams are created while appends go on, because that can take seconds. Only
 * the change to the new stream is made between two messages.
 */
export class SegmentStarter {
  readonly #segments: StreamSegment[];
  readonly #writes: LimitFunction;
  readonly #parts: LogParts;
  readonly #starts = pLimit(1);
  /** Part of a stream that may exist and is not in use. */
  #spare: LogPart | undefined;
  /** Unix seconds since which the newest segment is in use. */
  #startedAt: number;
  #isEnded = false;

  constructor(segments: StreamSegment[], writes: LimitFunction, parts: LogParts) {
    this.#segments = segments;
    this.#writes = writes;
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
  }

  /**
   * Starts a segment after all records that were appended before, unless that would be empty. A lazy start does
   * nothing while the newest segment is young, or the log has many.
   */
  start(kind: "lazy" | "full" | "forced"): Promise<void> {
    return this.#starts(async () => {
      if (this.#isEnded || (kind !== "forced" && this.#isPostponed(kind))) return;
      if (await this.#writes(() => this.#newest.isEmpty)) return;
      this.#checkCount();
      const part = await this.#createSpare();
      await this.#writes(() => this.#use(part));
    });
  }

  /** Starts a segment in the background, because the newest one is full. */
  startInBackground(): void {
    if (this.#starts.activeCount + this.#starts.pendingCount > 0) return;
    this.start("full").catch((error: unknown) => {
      this.#parts.logger.warn({ err: error }, "starting a segment of the log failed, trying again later");
    });
  }

  /** Waits for the current start. No later one happens. */
  end(): Promise<void> {
    this.#isEnded = true;
    return this.#starts(async () => {
      if (this.#spare !== undefined)
        await this.#parts.streams.delete(this.#spare.name).catch(() => undefined);
    });
  }

  get #newest(): StreamSegment {
    return this.#segments.at(-1)!;
  }

  #isPostponed(kind: "lazy" | "full"): boolean {
    const { options, clock } = this.#parts;
    if (this.#segments.length >= options.segmentCountMax / 2) return true;
    return kind === "lazy" && clock.now() - this.#startedAt < options.segmentS;
  }

  #checkCount(): void {
    const { segmentCountMax } = this.#parts.options;
    if (this.#segments.length < segmentCountMax) return;
    const message = `the log has ${segmentCountMax} segments. Retry after retry_after_ms`;
    throw new MemoryError("overloaded", message, { retry_after_ms: RETRY_AFTER_MS });
  }

  async #createSpare(): Promise<LogPart> {
    const { hold, streams, options } = this.#parts;
    await hold.untilOwned();
    // After a failure the same stream is created again, so that at most one is left over.
    this.#spare ??= newPart(options.name);
    await streams.create(this.#spare);
    return this.#spare;
  }

  /** Makes the stream of this part the newest segment. */
  async #use(part: LogPart): Promise<void> {
    const { keeper, streams, clock } = this.#parts;
    const segment = await beginSegment(this.#parts, part, this.#newest.nextSeq);
    this.#spare = undefined;
    try {
      await keeper?.keep([...this.#keptParts, part]);
    } catch (error) {
      await this.#undoUse(error);
      await streams.delete(part.name).catch(() => undefined);
      throw error;
    }
    this.#startedAt = clock.now();
    this.#segments.push(segment);
  }

  get #keptParts(): LogPart[] {
    return this.#segments.map(({ part }) => part);
  }

  /** The keeper must not have another newest segment than the log, or the next owner would fence only that one. */
  async #undoUse(cause: unknown): Promise<void> {
    const { keeper, hold } = this.#parts;
    try {
      await keeper?.keep(this.#keptParts);
    } catch {
      throw lostLog(hold, "the list of its streams could not be written", cause);
    }
  }
}

/**
 * Writes a mark to the empty stream of a part. The mark has the number of the next record, in case earlier segments
 * are missing later. Only a stream with a mark is kept, so that one that was created again counts as missing.
 */
export async function beginSegment(
  { options, writer }: LogParts,
  part: LogPart,
  nextSeq: number,
): Promise<StreamSegment> {
  const segment = new StreamSegment(options.name, part, nextSeq);
  await writer.write(segment, { firstSeq: nextSeq }, new Uint8Array());
  return segment;
}
