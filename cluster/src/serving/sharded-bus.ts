import type { Bus, BusMessage, BusState, BusSubscription, HeaderMap, Intake } from "@membus/protocol/plugin";
import { type RequestListener, subscribeShard } from "../routing/index.js";
import type { OwnedShard } from "./owned-shard.js";

/**
 * Bus of a host in a cluster. A subscription with a queue group, which a host uses for requests, receives the requests of
 * the shards that this host serves. Everything else is as on the bus below.
 */
export class ShardedBus implements Bus {
  readonly #bus: Bus;
  readonly #listeners = new Set<ShardListener>();
  readonly #shards = new Map<number, OwnedShard>();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  get maxPayloadBytes(): number {
    return this.#bus.maxPayloadBytes;
  }

  get inboxPrefix(): string {
    return this.#bus.inboxPrefix;
  }

  get state(): BusState {
    return this.#bus.state;
  }

  /** Begins to receive the requests of a shard. */
  addShard(owned: OwnedShard): void {
    this.#shards.set(owned.shard, owned);
    for (const listener of this.#listeners) listener.add(owned);
  }

  /** Ends it. Resolves when the requests that have arrived are processed. */
  async removeShard(shard: number): Promise<void> {
    this.#shards.delete(shard);
    await Promise.all([...this.#listeners].map((listener) => listener.remove(shard)));
  }

  subscribe(
    subject: string,
    onMessage: (message: BusMessage) => void | Promise<void>,
    options: { queue?: string; intake?: Intake } = {},
  ): BusSubscription {
    if (options.queue === undefined) return this.#bus.subscribe(subject, onMessage, options);
    const requests = { subject, onRequest: onMessage, intake: options.intake };
    const listener = new ShardListener(this.#bus, requests, () => this.#listeners.delete(listener));
    this.#listeners.add(listener);
    for (const owned of this.#shards.values()) listener.add(owned);
    return listener;
  }

  publish(subject: string, payload: Uint8Array, options?: { headers?: HeaderMap; reply?: string }): void {
    this.#bus.publish(subject, payload, options);
  }

  request(
    subject: string,
    payload: Uint8Array,
    options: { timeoutMs: number; headers?: HeaderMap },
  ): Promise<BusMessage> {
    return this.#bus.request(subject, payload, options);
  }

  requestMany(subject: string, payload: Uint8Array, options: { waitMs: number }): Promise<BusMessage[]> {
    return this.#bus.requestMany(subject, payload, options);
  }

  onState(listener: (state: BusState) => void): () => void {
    return this.#bus.onState(listener);
  }

  flush(): Promise<void> {
    return this.#bus.flush();
  }

  close(): Promise<void> {
    return this.#bus.close();
  }
}

/** A subscription to the same requests of every served shard. */
class ShardListener implements BusSubscription {
  readonly #bus: Bus;
  readonly #requests: RequestListener;
  readonly #onDrain: () => void;
  readonly #subscriptions = new Map<number, BusSubscription>();
  #draining: Promise<void> | undefined;

  constructor(bus: Bus, requests: RequestListener, onDrain: () => void) {
    this.#bus = bus;
    this.#requests = requests;
    this.#onDrain = onDrain;
  }

  get isClosed(): boolean {
    return this.#draining !== undefined || [...this.#subscriptions.values()].some(({ isClosed }) => isClosed);
  }

  add(owned: OwnedShard): void {
    this.#subscriptions.set(owned.shard, subscribeShard(this.#bus, owned, this.#requests));
  }

  async remove(shard: number): Promise<void> {
    const subscription = this.#subscriptions.get(shard);
    this.#subscriptions.delete(shard);
    await subscription?.drain();
  }

  drain(): Promise<void> {
    this.#onDrain();
    this.#draining ??= Promise.all([...this.#subscriptions.keys()].map((shard) => this.remove(shard))).then();
    return this.#draining;
  }
}
