import { decodeMessage, type Message, systemClock, withTimeout } from "@membus/protocol";
import { headers, type Msg, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import type { FuzzMessage } from "./fuzz-messages.js";

const INBOX = "_INBOX.fuzz";
const IN_FLIGHT = 128;
const STALLED_AFTER_MS = 20_000;

/** Sends messages as fast as a host answers, with a limited number in progress, and checks every reply. */
export class FuzzSender {
  /** Number of replies by type, and of errors by code. */
  readonly counts = new Map<string, number>();
  /** Problems of replies, with the message they answer. */
  readonly problems: string[] = [];
  sent = 0;
  readonly #nats: NatsConnection;
  readonly #subscription: Subscription;
  readonly #awaited = new Map<string, FuzzMessage>();
  #onReply: () => void = () => {};

  constructor(nats: NatsConnection) {
    this.#nats = nats;
    this.#subscription = nats.subscribe(`${INBOX}.>`, { callback: (_error, reply) => this.#receive(reply) });
  }

  /** @throws if replies stop. */
  async send(messages: readonly FuzzMessage[]): Promise<void> {
    for (const message of messages) {
      while (this.#awaited.size >= IN_FLIGHT) await this.#nextReply();
      this.#publish(message);
    }
  }

  /**
   * Resolves when every message has its reply.
   * @throws if replies stop.
   */
  async finish(): Promise<void> {
    while (this.#awaited.size > 0) await this.#nextReply();
    this.#subscription.unsubscribe();
  }

  #publish(message: FuzzMessage): void {
    const { subject, payload, headers: list, awaitsReply } = message;
    const carried = headers();
    for (const [name, value] of list) carried.append(name, value);
    const reply = `${INBOX}.${this.sent++}`;
    if (awaitsReply) this.#awaited.set(reply, message);
    this.#nats.publish(subject, payload, {
      ...(list.length > 0 && { headers: carried }),
      ...(awaitsReply && { reply }),
    });
  }

  async #nextReply(): Promise<void> {
    const reply = new Promise<true>((resolve) => {
      this.#onReply = () => resolve(true);
    });
    if (await withTimeout(systemClock, STALLED_AFTER_MS, reply)) return;
    for (const message of this.#awaited.values()) this.#report(message, "no reply");
    throw new Error(`${this.#awaited.size} messages have no reply, the first: ${this.problems[0]}`);
  }

  #receive({ subject, data }: Msg): void {
    const message = this.#awaited.get(subject);
    if (message === undefined) this.problems.push(`a second reply on ${subject}`);
    else this.#check(message, data);
    this.#awaited.delete(subject);
    this.#onReply();
  }

  #check(message: FuzzMessage, data: Uint8Array): void {
    const reply = decodeMessage(data);
    if (!reply.ok) return this.#report(message, `an unreadable reply: ${reply.text}`);
    const { type, code, req_id } = reply.message;
    const kind = String(type === "error" ? code : type);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (code === "runtime_error") this.#report(message, `runtime_error: ${reply.message.message}`);
    const expected = requestIdOf(message);
    if (expected !== null && req_id !== expected)
      this.#report(message, `req_id is ${req_id}, not ${expected}`);
    for (const { code: inner } of (reply.message.errors as Message[] | undefined) ?? []) {
      if (inner === "runtime_error") this.#report(message, "runtime_error of an entry");
    }
  }

  #report({ subject, payload, headers: list }: FuzzMessage, what: string): void {
    const bytes = Buffer.from(payload).toString("base64");
    this.problems.push(`${what}; ${subject} ${JSON.stringify(list)} ${bytes}`);
  }
}

/** Returns the id that a reply must contain, or null if the request has no readable one. */
function requestIdOf({ payload, headers: list }: FuzzMessage): string | null {
  const contentType = list.find(([name]) => name === "Content-Type")?.[1];
  const decoded = decodeMessage(payload, { contentType });
  if (!decoded.ok) return decoded.reqId;
  const { id } = decoded.message;
  return typeof id === "string" && /^[^\p{C}]{1,128}$/u.test(id) ? id : null;
}
