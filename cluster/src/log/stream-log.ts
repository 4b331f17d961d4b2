import type { Log, LogPart, OpenLog, RotateOptions } from "@membus/disk";
import { MemoryError, type MonotonicClock, monotonicClock, parseOptions } from "@membus/protocol";
import type { NatsConnection } from "@nats-io/transport-node";
import pLimit from "p-limit";
import { repeatWhileOwned, type ShardHold } from "../place/index.js";
import type { LogParts } from "./log-parts.js";
import { LogStreams } from "./log-streams.js";
import { LogTail } from "./log-tail.js";
import { lostLog } from "./lost-log.js";
import { damagedMessage, type MessageHead } from "./message-format.js";
import { MessageWriter } from "./message-writer.js";
import { openSegments } from "./open-segments.js";
import { RecordReader } from "./record-reader.js";
import { SegmentReader } from "./segment-reader.js";
import { beginSegment } from "./segment-starter.js";
import { ServerWatch } from "./server-watch.js";
import type { SpaceWatch } from "./space-watch.js";
import { type StreamLogOptions, StreamLogOptionsSchema } from "./stream-log-options.js";
import { newPart, type StreamSegment } from "./stream-segment.js";

/** Largest message, also if the servers accept larger ones. */
const MESSAGE_BYTES_MAX = 1024 * 1024;
/** Part of a message for headers, which servers count too. */
const HEAD_BYTES = 1_024;

export interface StreamLogServices {
  readonly connection: NatsConnection;
  readonly hold: ShardHold;
  readonly clock?: MonotonicClock;
  /** Says whether JetStream has little space left. Without it appends are refused only by the servers. */
  readonly space?: SpaceWatch;
}

/**
 * Returns a function that opens a log of JetStream streams, one for each segment. It needs no directory. The
 * hold gives the shard up when another owner writes to the log. All later appends are then `unavailable`.
 *
 * @throws {TypeError} For an unknown option or a value out of range.
 */
export function streamLog(
  options: StreamLogOptions,
  { connection, hold, clock = monotonicClock, space }: StreamLogServices,
): OpenLog {
  const resolved = parseOptions(StreamLogOptionsSchema, options);
  return async (_directory, recovery, services) => {
    const streams = await LogStreams.open(connection, { options: resolved, epoch: hold.epoch, clock });
    const reader = new SegmentReader({ streams, hold, clock, onRecord: recovery.onRecord });
    const messageBytes = Math.min(connection.info?.max_payload ?? MESSAGE_BYTES_MAX, MESSAGE_BYTES_MAX);
    const parts: LogParts = {
      ...{ streams, hold, space, options: resolved, keeper: recovery.keeper, ...services },
      writer: new MessageWriter({ streams, hold, clock, space, logger: services.logger }),
      messageBytesMax: Math.max(messageBytes - HEAD_BYTES, HEAD_BYTES),
    };
    const { segments, nextSeq, lost } = await openSegments(resolved.name, reader, recovery);
    if (segments.length === 0) segments.push(await createFirst(parts, clock, nextSeq));
    else await beginEpoch(parts, segments.at(-1)!, reader, { firstSeq: nextSeq, lost });
    await parts.keeper?.keep(segments.map(({ part }) => part));
    await streams.deleteUnused(segments.map(({ part }) => part)).catch((error: unknown) => {
      services.logger.warn({ err: error }, "unused streams of the log are left, the next start deletes them");
    });
    parts.writer.opened();
    return new StreamLog(segments, parts, new ServerWatch(streams, clock));
  };
}

async function createFirst(parts: LogParts, clock: MonotonicClock, nextSeq: number): Promise<StreamSegment> {
  const { streams, hold, options } = parts;
  const part = newPart(options.name);
  await repeatWhileOwned({ hold, clock }, () => streams.create(part));
  try {
    return await beginSegment(parts, part, nextSeq);
  } catch (error) {
    // The next attempt creates another one.
    await streams.delete(part.name).catch(() => undefined);
    throw error;
  }
}

/**
 * Writes a mark, after which the messages of earlier owners are refused. Reads their messages before it. The mark also has the
 * losses that are accepted, so that the next opening does not ask for them again.
 */
async function beginEpoch(
  { writer, hold }: LogParts,
  newest: StreamSegment,
  reader: SegmentReader,
  mark: MessageHead,
): Promise<void> {
  const [gapCount, damage] = [newest.gaps.length, newest.damage];
  for (;;) {
    const firstSeq = Math.max(mark.firstSeq, newest.nextSeq);
    if (await writer.follow(newest, { ...mark, firstSeq }, new Uint8Array())) return newest.addMark(firstSeq);
    if (!(await reader.read(newest))) throw lostLog(hold, `the stream ${newest.name} is missing`);
    // The next opening says which records are lost.
    if (newest.gaps.length > gapCount || newest.damage !== damage)
      throw damagedMessage(`stream ${newest.name}`, "messages of an earlier owner are missing or damaged");
  }
}

/** Log of JetStream streams. */
class StreamLog implements Log {
  /** Segments in order. The last one is appended to. */
  readonly #segments: StreamSegment[];
  readonly #parts: LogParts;
  readonly #tail: LogTail;
  readonly #records: RecordReader;
  readonly #servers: ServerWatch;
  readonly #trims = pLimit(1);
  #isWaitingForReplica = false;

  constructor(segments: StreamSegment[], parts: LogParts, servers: ServerWatch) {
    this.#segments = segments;
    this.#parts = parts;
    this.#tail = new LogTail(segments, parts);
    this.#records = new RecordReader(parts.streams);
    this.#servers = servers;
  }

  get nextSeq(): number {
    return this.#tail.nextSeq;
  }

  get stats(): Log["stats"] {
    const segments = this.#segments;
    const oldest = segments.find((segment) => !segment.isEmpty);
    return {
      ...this.#tail.stats,
      stalled: this.#parts.writer.isStalled,
      waitsForServer: this.#isWaitingForReplica,
      absentServers: this.#servers.absent,
      firstSeq: oldest?.firstSeq ?? segments.at(-1)!.nextSeq,
      nextSeq: this.nextSeq,
      sizeBytes: segments.reduce((sum, segment) => sum + segment.sizeBytes, 0),
      segmentCount: segments.length,
      cutBytes: 0,
    };
  }

  get shortage(): MemoryError | undefined {
    return this.#parts.space?.shortage;
  }

  append(encode: (seq: number) => Uint8Array): Promise<number> {
    return this.#tail.append(encode);
  }

  onRollback(listener: (firstLostSeq: number) => void): () => void {
    return this.#tail.onRollback(listener);
  }

  async read(seq: number): Promise<Uint8Array> {
    this.#tail.checkNotClosed();
    const segment = this.#segments.find((each) => !each.isTrimmed && each.locate(seq) !== undefined);
    const found = segment && (await this.#records.read(segment, seq));
    if (found !== undefined) return found;
    const message = `the log has no record ${seq}. It was trimmed or never acknowledged`;
    throw new MemoryError("memory_not_found", message, { seq });
  }

  async trim(before: number): Promise<boolean> {
    this.#tail.checkNotClosed();
    return this.#trims(() => this.#removeBelow(before));
  }

  rotate({ lazily = false }: RotateOptions = {}): Promise<number> {
    return this.#tail.rotate(lazily);
  }

  segmentFrom(seq: number): number | undefined {
    return this.#segments.find(({ firstSeq }) => firstSeq >= seq)?.firstSeq;
  }

  /** A stream cannot be rewritten. Replies are logged again instead when an erasure is due. */
  async compact(): Promise<void> {}

  async removeSetAside(): Promise<void> {}

  async hasSetAside(): Promise<boolean> {
    return false;
  }

  snapshot(): Promise<readonly LogPart[]> {
    return Promise.reject(new MemoryError("unsupported", "a log of streams has no snapshots in a directory"));
  }

  /** Does not wait for the answers, so that slow servers do not delay the maintenance of other shards. */
  async probe(): Promise<void> {
    this.#servers.look(this.#segments.map(({ name }) => name));
  }

  async check(): Promise<void> {}

  async sync(): Promise<void> {
    this.#tail.checkNotClosed();
  }

  async close(): Promise<void> {
    await this.#tail.close();
    await this.#trims(() => undefined);
  }

  async #removeBelow(before: number): Promise<boolean> {
    const { streams, hold } = this.#parts;
    while (this.#segments.length > 1 && this.#segments[0]!.nextSeq <= before) {
      const oldest = this.#segments[0]!;
      await hold.untilOwned();
      if (await this.#mustKeep(oldest)) return false;
      oldest.isTrimmed = true;
      await streams.delete(oldest.name);
      // Not earlier, because a segment counts until its bytes are gone.
      this.#segments.shift();
    }
    return true;
  }

  /** A server that is down would keep the bytes of a deleted stream until it is back. */
  async #mustKeep({ name }: StreamSegment): Promise<boolean> {
    const { streams, logger } = this.#parts;
    const isAbsent = (await streams.absentServers(name)).length > 0;
    if (isAbsent && !this.#isWaitingForReplica)
      logger.warn({ stream: name }, "a server is down or late, deleting its log records when it is back");
    this.#isWaitingForReplica = isAbsent;
    return isAbsent;
  }
}
