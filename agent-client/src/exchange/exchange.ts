import { setMaxListeners } from "node:events";
import { abortable, type Clock, InFlightCounter, MemoryError, type Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import type { ResolvedCallOptions } from "../call-options.js";
import { EventFeeds } from "../event-feeds.js";
import type { Watch } from "../watch.js";
import { readReply } from "./reply.js";
import type { EncodedRequest } from "./request.js";
import type { RequestTracer } from "./request-tracer.js";
import { withRetries } from "./retry.js";

/** Sends requests over one bus, awaits and retries them, and tracks requests in flight. */
export class Exchange {
  readonly bus: Bus;
  readonly #clock: Clock;
  readonly #tracer: RequestTracer | undefined;
  readonly #closing = new AbortController();
  readonly #feeds: EventFeeds;
  readonly #watches = new Set<Watch["stop"]>();
  readonly #inFlight = new InFlightCounter();

  constructor(bus: Bus, clock: Clock, tracer?: RequestTracer) {
    this.bus = bus;
    this.#feeds = new EventFeeds(bus);
    this.#clock = clock;
    this.#tracer = tracer;
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
    return this.#inFlight.track(this.#traced(request, options, read));
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

  async #traced<T>(
    request: EncodedRequest,
    options: ResolvedCallOptions,
    read: (reply: Message) => T,
  ): Promise<T> {
    const span = this.#tracer?.start(request);
    if (span === undefined) return this.#sendWithRetries(request, options, read);
    const { headers } = span;
    const traced =
      headers === undefined ? request : { ...request, headers: { ...request.headers, ...headers } };
    try {
      let last: Message | undefined;
      const result = await this.#sendWithRetries(traced, options, (reply) => {
        last = reply;
        return read(reply);
      });
      span.succeed(last!);
      return result;
    } catch (error) {
      span.fail(error);
      throw error;
    }
  }

  async #sendWithRetries<T>(
    request: EncodedRequest,
    { timeoutMs, retryTimeoutMs, signal }: ResolvedCallOptions,
    read: (reply: Message) => T,
  ): Promise<T> {
    const { subject, payload, headers } = request;
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
