import type { AgentMemory, Watch } from "@membus/agent-client";
import { EventStream, encodeEvent, type HttpContext } from "@membus/http";
import { type Clock, MemoryError, type MemoryEvent } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";

export interface EventReadersDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
}

const READERS_MAX = 100;
/** Bytes of events that may wait for one page. */
const WAITING_BYTES_MAX = 1024 * 1024;
const HEARTBEAT_MS = 15_000;

interface Reader {
  readonly stream: EventStream;
  readonly watch: Watch;
}

/** Sends events to pages as they happen. Events name entries and do not contain them. */
export class EventReaders {
  readonly #dependencies: EventReadersDependencies;
  readonly #readers = new Set<Reader>();
  readonly #encoded = new WeakMap<MemoryEvent, Uint8Array>();
  /** Number of streams that are being opened. */
  #opening = 0;
  #cancelHeartbeat: (() => void) | undefined;
  #forgetState: (() => void) | undefined;

  constructor(dependencies: EventReadersDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    const { bus } = this.#dependencies;
    // Events are lost while NATS is disconnected. The page lists again after its stream reconnects.
    this.#forgetState = bus.onState((state) => state === "connected" && this.#endAll());
    this.#beatLater();
  }

  /**
   * Returns a stream of the events that `memory` may read, or of the events of all agents of its tenant.
   * @throws {MemoryError} `overloaded` for too many readers, `unauthorized` if NATS refuses the subscription.
   */
  async open(c: HttpContext, memory: AgentMemory, agents: "own" | "all"): Promise<Response> {
    if (this.#readers.size + this.#opening >= READERS_MAX) {
      throw new MemoryError("overloaded", `at most ${READERS_MAX} pages can read events at the same time`);
    }
    this.#opening++;
    try {
      return await this.#open(c, memory, agents);
    } finally {
      this.#opening--;
    }
  }

  /** Ends every stream. */
  async close(): Promise<void> {
    this.#cancelHeartbeat?.();
    this.#forgetState?.();
    const watches = [...this.#readers].map(({ watch }) => watch);
    this.#endAll();
    await Promise.all(watches.map((watch) => watch.stop()));
  }

  async #open(c: HttpContext, memory: AgentMemory, agents: "own" | "all"): Promise<Response> {
    let stream: EventStream | undefined;
    const early: MemoryEvent[] = [];
    const watch = await memory.watch({ agents }, (event) => {
      if (stream === undefined) early.push(event);
      else stream.writeEncoded(this.#encode(event));
    });
    stream = new EventStream(c, WAITING_BYTES_MAX);
    stream.keepAlive();
    for (const event of early) stream.writeEncoded(this.#encode(event));
    const reader = { stream, watch };
    this.#readers.add(reader);
    void c.get("openRequest").closed.then(() => {
      this.#readers.delete(reader);
      void watch.stop();
    });
    return stream.response;
  }

  /** Encodes an event once for all readers. */
  #encode(event: MemoryEvent): Uint8Array {
    const encoded = this.#encoded.get(event) ?? encodeEvent([JSON.stringify(event)]);
    this.#encoded.set(event, encoded);
    return encoded;
  }

  #endAll(): void {
    for (const { stream } of this.#readers) stream.end();
  }

  #beatLater(): void {
    const beat = () => {
      for (const { stream } of this.#readers) stream.keepAlive();
      this.#beatLater();
    };
    this.#cancelHeartbeat = this.#dependencies.clock.after(HEARTBEAT_MS, beat, { background: true });
  }
}
