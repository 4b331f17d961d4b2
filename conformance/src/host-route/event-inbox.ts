import { type BusMessage, delay, type MemoryEvent, systemClock, within } from "@membus/protocol";
import type { Inbox, ReceivedEvent } from "../context.js";
import { parseJson } from "./parse-json.js";

/** Events follow the reply that they are of; this long they may take. */
const PATIENCE_MS = 3_000;
const SETTLE_MS = 250;

/** The events of one subscription. */
export class EventInbox implements Inbox<ReceivedEvent> {
  readonly items: ReceivedEvent[] = [];
  readonly #flush: () => Promise<void>;
  #onArrival: () => void = () => {};

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  receive(message: BusMessage): void {
    this.items.push({
      subject: message.subject,
      event: (parseJson(message.payload) ?? {}) as MemoryEvent,
      message,
    });
    this.#onArrival();
  }

  async reach(count: number): Promise<readonly ReceivedEvent[]> {
    const reached = new Promise<void>((resolve) => {
      this.#onArrival = () => {
        if (this.items.length >= count) resolve();
      };
      this.#onArrival();
    });
    await within(systemClock, PATIENCE_MS, reached);
    return this.items;
  }

  async settle(): Promise<readonly ReceivedEvent[]> {
    await this.#flush();
    await delay(systemClock, SETTLE_MS);
    return this.items;
  }
}
