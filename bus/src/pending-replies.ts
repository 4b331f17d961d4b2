import type { Clock } from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import { createInbox } from "@nats-io/transport-node";
import { noResponders, replyTimeout } from "./bus-errors.js";

/** Maximum number of replies that one `many` keeps, which limits the memory. */
const REPLIES_MAX = 10_000;

const TIMEOUT_MAX_MS = 2 ** 31 - 1;

interface PendingReply {
  readonly subject: string;
  /** Returns true if this reply was the last one needed. */
  answer(message: BusMessage): boolean;
  fail(error: Error): void;
  /** Called if the subject has no responders. */
  failNoResponders(): void;
  expire(): void;
  cancelTimer(): void;
}

/**
 * Requests in flight, each with its own reply subject below one inbox. The NATS client's own requests cost
 * three times the CPU and cannot all be failed when the connection is lost.
 */
export class PendingReplies {
  readonly #inbox: string;
  readonly #clock: Clock;
  readonly #pending = new Map<string, PendingReply>();
  #lastNumber = 0;

  constructor(inboxPrefix: string, clock: Clock) {
    this.#inbox = createInbox(inboxPrefix);
    this.#clock = clock;
  }

  /** Subject to subscribe to for `receive`. */
  get pattern(): string {
    return `${this.#inbox}.*`;
  }

  /** Returns the first reply to the message that `send` publishes with the given reply subject. */
  one(subject: string, timeoutMs: number, send: (reply: string) => void): Promise<BusMessage> {
    return new Promise((resolve, reject) => {
      const answer = (message: BusMessage) => {
        resolve(message);
        return true;
      };
      const failNoResponders = () => reject(noResponders(subject));
      const expire = () => reject(replyTimeout(subject, timeoutMs));
      this.#register(timeoutMs, { subject, answer, fail: reject, failNoResponders, expire }, send);
    });
  }

  /** Returns the replies within `waitMs`, at most `REPLIES_MAX`. Empty if there are no responders. */
  many(subject: string, waitMs: number, send: (reply: string) => void): Promise<BusMessage[]> {
    return new Promise((resolve, reject) => {
      const answers: BusMessage[] = [];
      const finish = () => resolve(answers);
      const answer = (message: BusMessage) => {
        const isLast = answers.push(message) === REPLIES_MAX;
        if (isLast) finish();
        return isLast;
      };
      this.#register(
        waitMs,
        { subject, answer, fail: reject, failNoResponders: finish, expire: finish },
        send,
      );
    });
  }

  receive(message: BusMessage): void {
    if (this.#pending.get(message.subject)?.answer(message)) this.#end(message.subject);
  }

  /** Fails the request that expects its reply on `reply`, because its subject has no responders. */
  failNoResponders(reply: string): void {
    this.#end(reply)?.failNoResponders();
  }

  /**
   * Fails the requests to `subject` and returns their number. The server names a subject after its mapping, which may have added
   * leading tokens.
   */
  failSubject(subject: string, error: Error): number {
    const replies = [...this.#pending].filter(
      ([, pending]) => pending.subject === subject || subject.endsWith(`.${pending.subject}`),
    );
    for (const [reply] of replies) this.#end(reply)?.fail(error);
    return replies.length;
  }

  failAll(error: Error): void {
    for (const reply of [...this.#pending.keys()]) this.#end(reply)?.fail(error);
  }

  #register(
    waitMs: number,
    handlers: Omit<PendingReply, "cancelTimer">,
    send: (reply: string) => void,
  ): void {
    if (!(waitMs > 0 && waitMs <= TIMEOUT_MAX_MS)) {
      throw new TypeError(`the request timeout must be 1..${TIMEOUT_MAX_MS} ms, got ${waitMs}`);
    }
    this.#lastNumber++;
    const reply = `${this.#inbox}.${this.#lastNumber.toString(36)}`;
    const cancelTimer = this.#clock.after(waitMs, () => this.#end(reply)?.expire());
    this.#pending.set(reply, { ...handlers, cancelTimer });
    try {
      send(reply);
    } catch (error) {
      this.#end(reply);
      throw error;
    }
  }

  #end(reply: string): PendingReply | undefined {
    const pending = this.#pending.get(reply);
    if (pending === undefined) return undefined;
    this.#pending.delete(reply);
    pending.cancelTimer();
    return pending;
  }
}
