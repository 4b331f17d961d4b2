import type { Clock } from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import { NO_HEADERS } from "../../headers.js";
import type { BatchCounter } from "./batch-counter.js";
import { Mailbox } from "./mailbox.js";
import type { Batch, PackedMessage } from "./thread-messages.js";

const MIB = 1024 * 1024;
const LIMITS = {
  countMax: 16_384,
  bytesMax: 64 * MIB,
  senderCountMax: 1_024,
  senderBytesMax: 8 * MIB,
};
const BATCH_COUNT_MAX = 64;
const BATCH_BYTES_MAX = MIB;
/** Batches that the receiver has not processed yet. With two, it never waits for the next one. */
const BATCHES_MAX = 2;
/**
 * Messages per second of overflowing senders that reach the receiver. It refuses most of them, and each costs
 * time.
 */
const OVERFLOW_PER_SECOND = 4_000;
/** Milliseconds between batches with only such messages. */
const OVERFLOW_INTERVAL_MS = 2;
/** Bytes of a refused message that reach the receiver. They contain the request id (clause ERR-12). */
const HEAD_BYTES = 1_024;
/** Payloads up to this size are copied on arrival. They are views of a larger receive buffer. */
const COPIED_BYTES_MAX = 64 * 1024;

/** The parts of a received message that are needed later. The message itself keeps its receive buffer alive. */
type Parts = Pick<BusMessage, "subject" | "reply" | "headers" | "payload">;

interface Waiting extends Parts {
  /** Id of the subscription. */
  readonly id: number;
  /** Size of a refused message. Its payload is only the beginning. */
  readonly refusedBytes?: number;
}

interface Sent {
  readonly message: Waiting;
  readonly isOverflowing: boolean;
}

/**
 * Collects messages and sends them in batches, as fast as the receiver processes them. The messages of a sender
 * that sends faster are refused here, and the receiver gets only the beginning of some of them.
 */
export class Batcher {
  readonly #mailbox: Mailbox<Waiting>;
  readonly #send: (batch: Batch) => void;
  readonly #clock: Clock;
  /** Number of messages of overflowing senders that may be sent now. */
  #overflowCount = BATCH_COUNT_MAX;
  /** Unix seconds. */
  #overflowAt = 0;
  #isWaiting = false;
  #refused: Waiting[] = [];
  #dropped = 0;
  #sentCount = 0;
  readonly #counter: BatchCounter;
  #isScheduled = false;
  #onIdle: (() => void)[] = [];

  constructor(senderTokens: number, counter: BatchCounter, send: (batch: Batch) => void, clock: Clock) {
    this.#counter = counter;
    this.#mailbox = new Mailbox(senderTokens, LIMITS, (message) => this.#refuse(message.id, message));
    this.#send = send;
    this.#clock = clock;
  }

  add(id: number, message: BusMessage): void {
    const { subject, payload } = message;
    const isAdded = this.#mailbox.add(subject, payload.length, () => ({
      ...partsOf(id, message),
      payload: payload.length <= COPIED_BYTES_MAX ? new Uint8Array(payload) : payload,
    }));
    if (!isAdded) this.#refuse(id, message);
    this.#schedule();
  }

  /** Called when the receiver has processed a batch and this waits for it. */
  taken(): void {
    this.#sendNext();
  }

  /** Resolves when the receiver has processed everything. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle.push(resolve);
      this.#sendNext();
    });
  }

  #refuse(id: number, message: Parts): void {
    if (this.#refused.length >= BATCH_COUNT_MAX) {
      this.#dropped++;
      return;
    }
    const { payload } = message;
    const head = new Uint8Array(payload.subarray(0, HEAD_BYTES));
    this.#refused.push({ ...partsOf(id, message), payload: head, refusedBytes: payload.length });
  }

  /** Sends after all messages that have arrived together. */
  #schedule(): void {
    if (this.#isScheduled || !this.#canSend()) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#sendNext();
    });
  }

  #sendNext(): void {
    while (this.#canSend()) {
      const batch = this.#nextBatch();
      if (batch === undefined) return this.#allSent();
      this.#sentCount = (this.#sentCount + 1) | 0;
      this.#send(batch);
    }
  }

  /** Called when only messages of overflowing senders may be left. */
  #allSent(): void {
    if (this.#mailbox.hasOverflowing) this.#sendLater();
    else if (this.#onIdle.length > 0 && this.#isIdle()) {
      for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  get #runningCount(): number {
    return (this.#sentCount - this.#counter.processed) | 0;
  }

  #canSend(): boolean {
    if (this.#runningCount < BATCHES_MAX) return true;
    this.#counter.wait();
    return this.#runningCount < BATCHES_MAX;
  }

  #isIdle(): boolean {
    if (this.#runningCount === 0) return true;
    this.#counter.wait();
    return this.#runningCount === 0;
  }

  /** Messages of overflowing senders wait for their share of time. */
  #sendLater(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#clock.after(OVERFLOW_INTERVAL_MS, () => {
      this.#isWaiting = false;
      this.#sendNext();
    });
  }

  #nextBatch(): Batch | undefined {
    const sent: Sent[] = [];
    let bytes = 0;
    const fill = (take: () => Waiting | undefined, countMax: number, isOverflowing: boolean) => {
      let count = 0;
      for (; count < countMax && bytes < BATCH_BYTES_MAX; count++) {
        const message = take();
        if (message === undefined) break;
        sent.push({ message, isOverflowing });
        bytes += message.payload.length;
      }
      return count;
    };
    fill(() => this.#mailbox.takeCalm(), BATCH_COUNT_MAX, false);
    const allowed = Math.min(BATCH_COUNT_MAX - sent.length, this.#allowedOverflow());
    this.#overflowCount -= fill(() => this.#mailbox.takeOverflowing(), allowed, true);
    const hasMessages = sent.length > 0;
    if (!hasMessages && (this.#refused.length === 0 || this.#mailbox.hasOverflowing)) return undefined;
    for (const message of this.#refused.splice(0)) sent.push({ message, isOverflowing: true });
    const dropped = this.#dropped;
    this.#dropped = 0;
    return { kind: "batch", messages: sent.map(packed), payloads: joined(sent), dropped };
  }

  #allowedOverflow(): number {
    const now = this.#clock.now();
    const gained = (now - this.#overflowAt) * OVERFLOW_PER_SECOND;
    this.#overflowCount = Math.min(BATCH_COUNT_MAX, this.#overflowCount + gained);
    this.#overflowAt = now;
    return Math.floor(this.#overflowCount);
  }
}

function partsOf(id: number, { subject, reply, headers }: Parts): Omit<Waiting, "payload"> {
  return reply === undefined ? { id, subject, headers } : { id, subject, reply, headers };
}

function packed({ message, isOverflowing }: Sent): PackedMessage {
  const { id, subject, reply, headers, payload, refusedBytes } = message;
  const given = headers === NO_HEADERS ? undefined : headers;
  return { id, subject, reply, headers: given, length: payload.length, refusedBytes, isOverflowing };
}

function joined(sent: readonly Sent[]): ArrayBuffer {
  const bytes = new Uint8Array(sent.reduce((sum, { message }) => sum + message.payload.length, 0));
  let at = 0;
  for (const { payload } of sent.map(({ message }) => message)) {
    bytes.set(payload, at);
    at += payload.length;
  }
  return bytes.buffer;
}
