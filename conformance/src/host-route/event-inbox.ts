import {
  type BusMessage,
  CONTENT_TYPE_HEADER,
  decodeMessage,
  delay,
  type MemoryEvent,
  systemClock,
  within,
} from "@membus/protocol";
import type { Inbox, ReceivedEvent } from "../context.js";

/** Events follow the reply that they are of; this long they may take. */
const PATIENCE_MS = 3_000;
const SETTLE_MS = 250;

/** The events of one subscription. */
export class EventInbox implements Inbox<ReceivedEvent> {
  readonly items: ReceivedEvent[] = [];
  readonly #flush: () => Promise<void>;
  readonly #isWanted: (received: ReceivedEvent) => boolean;
  #onArrival: () => void = () => {};

  constructor(flush: () => Promise<void>, isWanted: (received: ReceivedEvent) => boolean) {
    this.#flush = flush;
    this.#isWanted = isWanted;
  }

  receive(message: BusMessage): void {
    const { subject, payload, headers } = message;
    const decoded = decodeMessage(payload, { contentType: headers[CONTENT_TYPE_HEADER] });
    const received = { subject, event: (decoded.ok ? decoded.message : {}) as MemoryEvent, message };
    if (!this.#isWanted(received)) return;
    this.items.push(received);
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
