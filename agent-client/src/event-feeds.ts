import { CONTENT_TYPE_HEADER, decodeMessage, type MemoryEvent, MemoryEventSchema } from "@membus/protocol";
import type { Bus, BusMessage, BusSubscription } from "@membus/protocol/plugin";

export type OnEvent = (event: MemoryEvent) => void | Promise<void>;

/** A listener of one pattern. */
export interface FeedListener {
  /** True if the server has refused the subscription. */
  readonly isRefused: boolean;
  /** Resolves when no more events arrive. */
  remove(): Promise<void>;
}

interface Feed {
  readonly subscription: BusSubscription;
  readonly listeners: Set<OnEvent>;
}

/**
 * The subscriptions to events of one connection. Listeners of the same pattern share a subscription, so that
 * an event is received and decoded once, however many listeners it has.
 */
export class EventFeeds {
  readonly #bus: Bus;
  readonly #feeds = new Map<string, Feed>();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** Resolves when the server has processed all subscriptions. */
  flush(): Promise<void> {
    return this.#bus.flush();
  }

  add(pattern: string, onEvent: OnEvent): FeedListener {
    const feed = this.#feedOf(pattern);
    // Every listener is a separate object, also if one function listens twice.
    const listener: OnEvent = (event) => onEvent(event);
    feed.listeners.add(listener);
    return {
      get isRefused() {
        return feed.subscription.isClosed;
      },
      remove: () => this.#remove(pattern, feed, listener),
    };
  }

  #feedOf(pattern: string): Feed {
    const known = this.#feeds.get(pattern);
    if (known !== undefined && !known.subscription.isClosed) return known;
    const listeners = new Set<OnEvent>();
    const subscription = this.#bus.subscribe(pattern, (message) => dispatch(message, listeners));
    const feed = { subscription, listeners };
    this.#feeds.set(pattern, feed);
    return feed;
  }

  async #remove(pattern: string, feed: Feed, listener: OnEvent): Promise<void> {
    feed.listeners.delete(listener);
    if (feed.listeners.size > 0) return;
    if (this.#feeds.get(pattern) === feed) this.#feeds.delete(pattern);
    await feed.subscription.drain();
  }
}

/** Calls every listener, also after one has failed. Fails with the first failure, which the bus logs. */
function dispatch(message: BusMessage, listeners: ReadonlySet<OnEvent>): void | Promise<void> {
  const event = readEvent(message);
  if (event === undefined) return;
  const running: Promise<void>[] = [];
  const failures: unknown[] = [];
  for (const listener of listeners) {
    try {
      const result = listener(event);
      if (result instanceof Promise) running.push(result);
    } catch (error) {
      failures.push(error);
    }
  }
  if (running.length > 0) return settled(running, failures);
  if (failures.length > 0) throw failures[0];
}

async function settled(running: readonly Promise<void>[], failures: readonly unknown[]): Promise<void> {
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}

/** Returns undefined if the message is not an event. */
function readEvent(message: BusMessage): MemoryEvent | undefined {
  const decoded = decodeMessage(message.payload, { contentType: message.headers[CONTENT_TYPE_HEADER] });
  const parsed = MemoryEventSchema.safeParse(decoded.ok ? decoded.message : undefined);
  return parsed.success ? parsed.data : undefined;
}
