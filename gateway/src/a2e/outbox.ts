import type { EventStream } from "@membus/http";
import type { Clock } from "@membus/protocol";
import type { BusSubscription } from "@membus/protocol/plugin";
import type { Lines } from "./message.js";
import type { Relay } from "./relay.js";

/**
 * An unread reply is kept for this time, in seconds. A reply that was written to a stream may be lost when
 * the stream breaks, so that it is kept for a shorter time.
 */
const UNREAD_S = 60;
const WRITTEN_S = 10;
const REPLIES_MAX = 1_000;
/** Characters of the kept replies of all sessions. */
const KEPT_LENGTH_MAX = 64 * 1024 * 1024;
const SWEEP_MS = 1_000;
const KEEP_ALIVE_SWEEPS = 15;

interface Reply {
  readonly lines: Lines;
  readonly length: number;
  readonly madeAt: number;
  writtenAt: number | undefined;
}

interface OpenStream {
  readonly stream: EventStream;
  readonly held: BusSubscription;
}

/**
 * Delivers replies to the stream of their session, on this gateway or another one. A reply may arrive twice.
 */
export class Outbox {
  readonly #relay: Relay;
  readonly #clock: Clock;
  readonly #streams = new Map<string, OpenStream>();
  /** Kept replies by session. The session with the newest reply is last. */
  readonly #kept = new Map<string, Reply[]>();
  #keptLength = 0;
  #sweeps = 0;
  #opened: BusSubscription | undefined;
  #cancelSweep: (() => void) | undefined;

  constructor(relay: Relay, clock: Clock) {
    this.#relay = relay;
    this.#clock = clock;
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  /** Bytes of kept replies, and bytes that clients have not read. Replies are ASCII. */
  get waitingBytes(): { readonly replies: number; readonly streams: number } {
    let streams = 0;
    for (const { stream } of this.#streams.values()) streams += stream.waitingBytes;
    return { replies: this.#keptLength, streams };
  }

  start(): void {
    this.#opened = this.#relay.onOpened((digest) => void this.#deliverKept(digest));
    this.#sweepLater();
  }

  /** Sends the replies of the session to `stream`, and ends the stream that was open before. */
  attach(digest: string, stream: EventStream): void {
    this.#streams.get(digest)?.stream.end();
    void this.#streams.get(digest)?.held.drain();
    const held = this.#relay.hold(digest, (lines) => stream.write(lines));
    this.#streams.set(digest, { stream, held });
    this.#relay.announceOpened(digest);
  }

  /** Removes a stream that was closed. */
  detach(digest: string, stream: EventStream): void {
    const open = this.#streams.get(digest);
    if (open?.stream !== stream) return;
    this.#streams.delete(digest);
    void open.held.drain();
  }

  async send(digest: string, lines: Lines): Promise<void> {
    const length = lines.reduce((sum, line) => sum + line.length, 0);
    const reply: Reply = { lines, length, madeAt: this.#clock.now(), writtenAt: undefined };
    this.#keep(digest, reply);
    await this.#deliver(digest, reply);
  }

  /** Ends the stream of a session and drops its replies. */
  end(digest: string): void {
    this.#streams.get(digest)?.stream.end();
    this.#drop(digest, this.#kept.get(digest) ?? []);
  }

  async close(): Promise<void> {
    this.#cancelSweep?.();
    const held = [...this.#streams.values()].map(({ held }) => held.drain());
    for (const { stream } of this.#streams.values()) stream.end();
    this.#streams.clear();
    await Promise.all([...held, this.#opened?.drain()]);
  }

  async #deliver(digest: string, reply: Reply): Promise<void> {
    const local = this.#streams.get(digest)?.stream;
    const isWritten =
      local === undefined ? await this.#relay.send(digest, reply.lines) : local.write(reply.lines);
    if (isWritten) reply.writtenAt = this.#clock.now();
  }

  async #deliverKept(digest: string): Promise<void> {
    for (const reply of [...(this.#kept.get(digest) ?? [])]) {
      if (this.#isWanted(reply)) await this.#deliver(digest, reply);
    }
  }

  #isWanted({ madeAt, writtenAt }: Reply): boolean {
    const now = this.#clock.now();
    return writtenAt === undefined ? now - madeAt < UNREAD_S : now - writtenAt < WRITTEN_S;
  }

  #keep(digest: string, reply: Reply): void {
    const replies = this.#kept.get(digest) ?? [];
    replies.push(reply);
    this.#kept.delete(digest);
    this.#kept.set(digest, replies);
    this.#keptLength += reply.length;
    if (replies.length > REPLIES_MAX) this.#drop(digest, replies.slice(0, 1));
    while (this.#keptLength > KEPT_LENGTH_MAX && this.#kept.size > 1) {
      const [oldest, dropped] = this.#kept.entries().next().value!;
      this.#drop(oldest, dropped);
    }
  }

  #drop(digest: string, dropped: readonly Reply[]): void {
    for (const { length } of dropped) this.#keptLength -= length;
    const left = (this.#kept.get(digest) ?? []).filter((reply) => !dropped.includes(reply));
    if (left.length === 0) this.#kept.delete(digest);
    else this.#kept.set(digest, left);
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#clock.after(SWEEP_MS, () => this.#sweep(), { background: true });
  }

  #sweep(): void {
    for (const [digest, replies] of [...this.#kept]) {
      this.#drop(
        digest,
        replies.filter((reply) => !this.#isWanted(reply)),
      );
    }
    if (++this.#sweeps % KEEP_ALIVE_SWEEPS === 0) {
      for (const { stream } of this.#streams.values()) stream.keepAlive();
    }
    this.#sweepLater();
  }
}
