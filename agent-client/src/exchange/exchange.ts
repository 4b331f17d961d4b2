import { setMaxListeners } from "node:events";
import { abortable, type Clock, InFlightCounter, MemoryError, type Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import type { ResolvedCallOptions } from "../call-options.js";
import { EventFeeds } from "../event-feeds.js";
import type { Watch } from "../watch.js";
import { readReply } from "./reply.js";
import type { EncodedRequest } from "./request.js";
import { withRetries } from "./retry.js";
import type { TraceHeaders } from "./trace-headers.js";

/** Sends requests over one bus, awaits and retries them, and tracks requests in flight. */
export class Exchange {
  readonly bus: Bus;
  readonly #clock: Clock;
  readonly #traceHeaders: TraceHeaders | undefined;
  readonly #closing = new AbortController();
  readonly #feeds: EventFeeds;
  readonly #watches = new Set<Watch["stop"]>();
  readonly #inFlight = new InFlightCounter();

  constructor(bus: Bus, clock: Clock, traceHeaders?: TraceHeaders) {
    this.bus = bus;
    this.#feeds = new EventFeeds(bus);
    this.#clock = clock;
    this.#traceHeaders = traceHeaders;
    // Every waiting request adds a listener, here and to a shared signal. This disables the leak warning.
    setMaxListeners(0, this.#closing.signal);
  }

  /**
   * Sends a request and returns the result of `read`. A retryable error of the bus, the host or `read`
   * repeats the same bytes, which the host recognizes as the same request.
   */
  async send<T>(
    request: EncodedRequest,
    options: ResolvedCallOptions,
    read: (reply: Message) => T,
  ): Promise<T> {
    this.#requireOpen();
    return this.#inFlight.track(this.#sendWithRetries(request, options, read));
  }

  /** Opens a watch that ends with the client at the latest. */
  async watch(open: (feeds: EventFeeds) => Promise<Watch>): Promise<Watch> {
    this.#requireOpen();
    const watch = await open(this.#feeds);
    const { stop } = watch;
    this.#watches.add(stop);
    if (this.#closing.signal.aborted) await stop();
    this.#requireOpen();
    return {
      get missed() {
        return watch.missed;
      },
      stop: () => {
        this.#watches.delete(stop);
        return stop();
      },
    };
  }

  /**
   * Refuses new requests, stops retries, and resolves when all requests in flight and all watches have ended.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#inFlight.idle(), ...[...this.#watches].map((stop) => stop())]);
  }

  #requireOpen(): void {
    if (this.#closing.signal.aborted || this.bus.state === "closed") {
      throw new MemoryError("unavailable", "the client is closed", { reason: "closed" });
    }
  }

  async #sendWithRetries<T>(
    request: EncodedRequest,
    { timeoutMs, retryTimeoutMs, signal }: ResolvedCallOptions,
    read: (reply: Message) => T,
  ): Promise<T> {
    const { subject, payload } = request;
    const traced = this.#traceHeaders?.();
    const headers = traced === undefined ? request.headers : { ...request.headers, ...traced };
    const busOptions = headers === undefined ? { timeoutMs } : { timeoutMs, headers };
    const attempt = async () =>
      read(readReply(await this.bus.request(subject, payload, busOptions), request));
    const closing = this.#closing.signal;
    if (signal === undefined)
      return withRetries(attempt, { retryTimeoutMs, stopSignals: [closing] }, this.#clock);
    signal.throwIfAborted();
    const policy = { retryTimeoutMs, stopSignals: [closing, signal] };
    setMaxListeners(0, signal);
    return abortable(withRetries(attempt, policy, this.#clock), signal);
  }
}
