import type { Bus, BusMessage, BusSubscription } from "@membus/protocol/plugin";

/** Connection of a process that can be paused. Messages that arrive in the pause are delivered afterwards. */
export class PausedBus implements Bus {
  readonly #bus: Bus;
  #waiting: (() => void)[] | undefined;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  pause(): void {
    this.#waiting ??= [];
  }

  /** @param lost drops the messages of the pause, as if the network had been split. */
  resume({ lost = false } = {}): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    if (!lost) for (const deliver of waiting) deliver();
  }

  get maxPayloadBytes() {
    return this.#bus.maxPayloadBytes;
  }

  get inboxPrefix() {
    return this.#bus.inboxPrefix;
  }

  get state() {
    return this.#bus.state;
  }

  subscribe(
    subject: string,
    onMessage: (message: BusMessage) => void | Promise<void>,
    options?: { queue?: string },
  ): BusSubscription {
    const receive = (message: BusMessage) => {
      if (this.#waiting === undefined) return onMessage(message);
      this.#waiting.push(() => void onMessage(message));
    };
    return this.#bus.subscribe(subject, receive, options);
  }

  publish(...args: Parameters<Bus["publish"]>) {
    this.#bus.publish(...args);
  }

  request(...args: Parameters<Bus["request"]>) {
    return this.#bus.request(...args);
  }

  requestMany(...args: Parameters<Bus["requestMany"]>) {
    return this.#bus.requestMany(...args);
  }

  onState(...args: Parameters<Bus["onState"]>) {
    return this.#bus.onState(...args);
  }

  flush() {
    return this.#bus.flush();
  }

  close() {
    return this.#bus.close();
  }
}
