import type { LogPart } from "@membus/disk";
import type { MonotonicClock } from "@membus/protocol";
import {
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  PubHeaders,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
  type StreamInfo,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { isAbsent, isMissingStream, isRefused, storeError } from "../bucket/index.js";
import { fetchMessages } from "./fetch-messages.js";
import { encodeHead, type MessageHead } from "./message-format.js";
import type { ResolvedStreamLogOptions } from "./stream-log-options.js";
import { StreamSegment, subjectsOf } from "./stream-segment.js";

/** Time in which a repeated message is recognized. Longer than any lease. */
const DUPLICATE_WINDOW_MS = 120_000;

export interface LogStreamsParts {
  readonly options: ResolvedStreamLogOptions;
  readonly epoch: number;
  readonly clock: MonotonicClock;
}

/** Requests of a log to JetStream. Each is sent once. `storeError` converts their errors. */
export class LogStreams {
  readonly #js: JetStreamClient;
  readonly #streams: JetStreamManager["streams"];
  readonly #options: ResolvedStreamLogOptions;
  readonly #epoch: number;
  readonly #clock: MonotonicClock;

  private constructor(
    js: JetStreamClient,
    { streams }: JetStreamManager,
    { options, epoch, clock }: LogStreamsParts,
  ) {
    this.#js = js;
    this.#streams = streams;
    this.#options = options;
    this.#epoch = epoch;
    this.#clock = clock;
  }

  static async open(connection: NatsConnection, parts: LogStreamsParts): Promise<LogStreams> {
    const js = jetstream(connection, { timeout: parts.options.requestTimeoutMs });
    return new LogStreams(js, await js.jetstreamManager(false), parts);
  }

  /** Creates the stream of a part, unless this epoch has created it before. */
  async create(part: LogPart): Promise<void> {
    const { name, replicas } = this.#options;
    await answered(
      this.#streams.add({
        name: part.name,
        subjects: [new StreamSegment(name, part, 1).subject],
        num_replicas: replicas,
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.New,
        allow_direct: false,
        duplicate_window: nanos(DUPLICATE_WINDOW_MS),
        metadata: { epoch: String(this.#epoch) },
      }),
    );
  }

  /** Deletes a stream with all its bytes. */
  async delete(name: string): Promise<void> {
    await unlessMissing(this.#streams.delete(name));
  }

  /** Returns the state of a stream, or undefined if it is missing. */
  infoOf(name: string): Promise<StreamInfo | undefined> {
    return unlessMissing(this.#streams.info(name));
  }

  /** Passes on messages after this sequence, in order, until none is received for two seconds. */
  async *messagesAfter(name: string, streamSeq: number): AsyncIterable<JsMsg> {
    const start = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: streamSeq + 1 };
    yield* fetchMessages(await answered(this.#js.consumers.get(name, start)), this.#clock);
  }

  /** Returns the servers that store this stream and may be down. They would keep bytes of a deleted stream. */
  async absentServers(name: string): Promise<string[]> {
    const replicas = (await this.infoOf(name))?.cluster?.replicas ?? [];
    return replicas.filter(isAbsent).map((replica) => replica.name);
  }

  /** Deletes streams that no owner up to this epoch has put in use. */
  async deleteUnused(kept: readonly LogPart[]): Promise<void> {
    const names = new Set(kept.map(({ name }) => name));
    for (const { config } of await answered(this.#list())) {
      const isEarlier = Number(config.metadata?.epoch) <= this.#epoch;
      if (isEarlier && !names.has(config.name)) await this.delete(config.name);
    }
  }

  /**
   * Writes a message after the last known one of the segment. Throws the errors of JetStream unconverted.
   * @returns false if a message follows already.
   */
  async publish(
    segment: StreamSegment,
    head: MessageHead,
    data: Uint8Array,
    msgID: string,
  ): Promise<boolean> {
    try {
      await this.#js.publish(segment.subject, data, {
        headers: encodeHead(head),
        msgID,
        expect: { streamName: segment.name, lastSequence: segment.streamSeq },
        timeout: this.#options.requestTimeoutMs,
      });
      return true;
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
  }

  /** Whether the message with this id follows the segment's last known one. */
  async hasNext({ name, streamSeq }: StreamSegment, msgID: string): Promise<boolean> {
    const message = await this.message(name, streamSeq + 1);
    return message?.header.get(PubHeaders.MsgIdHdr) === msgID;
  }

  /** Returns a message, or undefined if it or its stream is missing. */
  async message(name: string, streamSeq: number): Promise<StoredMsg | undefined> {
    return (await unlessMissing(this.#streams.getMessage(name, { seq: streamSeq }))) ?? undefined;
  }

  /** Returns the sequence of the first message after this one. Undefined if there is none, or no stream. */
  async seqAfter({ name, subject }: StreamSegment, streamSeq: number): Promise<number | undefined> {
    const query = { seq: streamSeq + 1, next_by_subj: subject };
    return (await unlessMissing(this.#streams.getMessage(name, query)))?.seq;
  }

  async #list(): Promise<StreamInfo[]> {
    const found: StreamInfo[] = [];
    for await (const info of this.#streams.list(subjectsOf(this.#options.name))) found.push(info);
    return found;
  }
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw storeError(error);
  }
}

async function unlessMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isMissingStream(error)) return undefined;
    throw storeError(error);
  }
}
