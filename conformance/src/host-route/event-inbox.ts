import {
  CONTENT_TYPE_HEADER,
  decodeMessage,
  delay,
  type MemoryEvent,
  systemClock,
  withTimeout,
} from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import type { Inbox, ReceivedEvent } from "../context.js";
import type { EventPatience } from "./event-patience.js";

const SETTLE_MS = 250;

export interface EventInboxParts {
  readonly patience: EventPatience;
  isWanted(received: ReceivedEvent): boolean;
  flush(): Promise<void>;
}

/** Events of one subscription. */
export class EventInbox implements Inbox<ReceivedEvent> {
  readonly items: ReceivedEvent[] = [];
  readonly #parts: EventInboxParts;
  #onArrival: () => void = () => {};

  constructor(parts: EventInboxParts) {
    this.#parts = parts;
  }

  receive(message: BusMessage): void {
    const { subject, payload, headers } = message;
    const decoded = decodeMessage(payload, { contentType: headers[CONTENT_TYPE_HEADER] });
    const received = { subject, event: (decoded.ok ? decoded.message : {}) as MemoryEvent, message };
    this.#parts.patience.published();
    if (!this.#parts.isWanted(received)) return;
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
    const { patience } = this.#parts;
    await withTimeout(systemClock, patience.ms, reached);
    if (this.items.length < count) patience.inVain();
    return this.items;
  }

  async settle(): Promise<readonly ReceivedEvent[]> {
    await this.#parts.flush();
    await delay(systemClock, SETTLE_MS);
    return this.items;
  }
}
