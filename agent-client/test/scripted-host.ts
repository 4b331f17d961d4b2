import {
  CONTENT_TYPE_HEADER,
  decodeMessage,
  type Encoding,
  encodeMessage,
  errorFields,
  hostSubjects,
  type MemoryError,
  type Message,
  replyType,
} from "@membus/protocol";
import type { Bus, BusMessage, BusSubscription } from "@membus/protocol/plugin";

export interface ScriptedRequest {
  readonly subject: string;
  readonly encoding: Encoding;
  readonly message: Message;
  /** Bytes of the request, to compare with a retry. */
  readonly text: string;
}

/** Reply to one request: fields, a MemoryError, raw bytes, or undefined for no reply. */
export type Answer = Message | MemoryError | Uint8Array | undefined;

/** Host that returns scripted replies. `n` counts requests from 0. */
export class ScriptedHost {
  readonly requests: ScriptedRequest[] = [];
  answer: (message: Message, n: number) => Answer;
  readonly #bus: Bus;
  readonly #subjects: readonly string[];
  #subscriptions: BusSubscription[] = [];
  #last: BusMessage | undefined;

  constructor(bus: Bus, answer: (message: Message, n: number) => Answer, prefix?: string) {
    this.#bus = bus;
    this.#subjects = hostSubjects(prefix);
    this.answer = answer;
  }

  listen(): void {
    this.#subscriptions = this.#subjects.map((subject) =>
      this.#bus.subscribe(subject, (message) => this.#onRequest(message), { queue: "membus" }),
    );
  }

  async stop(): Promise<void> {
    for (const subscription of this.#subscriptions) await subscription.drain();
  }

  /** Answers the last request, which was not answered when it arrived. */
  answerLast(): void {
    this.#onRequest(this.#last!);
  }

  /** Messages received so far, without the common envelope. */
  get bodies(): Message[] {
    return this.requests.map(({ message }) => {
      const { type: _type, id: _id, version: _version, deadline_ms: _deadline, ...body } = message;
      return body;
    });
  }

  get ids(): unknown[] {
    return this.requests.map(({ message }) => message.id);
  }

  #onRequest(received: BusMessage): void {
    this.#last = received;
    const { subject, payload, headers, reply } = received;
    const decoded = decodeMessage(payload, { contentType: headers[CONTENT_TYPE_HEADER] });
    if (!decoded.ok) throw new Error(`the client sent an invalid message: ${decoded.text}`);
    const { message, encoding } = decoded;
    const text = Buffer.from(payload).toString("latin1");
    this.requests.push({ subject, encoding, message, text });
    const answer = this.answer(message, this.requests.length - 1);
    if (answer !== undefined && this.#bus.state === "connected") {
      this.#bus.publish(reply!, toBytes(answer, message, encoding));
    }
  }
}

function toBytes(answer: Answer, request: Message, encoding: Encoding): Uint8Array {
  if (answer instanceof Uint8Array) return answer;
  const envelope = { id: "reply", version: "1.0", ts: 1_800_000_000.5, req_id: request.id };
  if (!(answer instanceof Error)) {
    return encodeMessage({ type: replyType(request.type as string), ...envelope, ...answer }, encoding);
  }
  const fields = errorFields(answer as MemoryError);
  return encodeMessage({ type: "error", ...envelope, ...fields, capability_name: "memory" }, encoding);
}

interface SentEntry {
  readonly key: unknown;
  readonly refuse?: string;
}

/** Stores all entries. An entry with a `refuse` field in its content gets that error. */
export function storeAll(message: Message): Message {
  const entries = message.entries as readonly { key: unknown; content: { refuse?: string } | null }[];
  const refused = (index: number) => entries[index]?.content?.refuse;
  const indices = [...entries.keys()];
  return {
    stored: indices.filter((index) => !refused(index)).map((index) => entries[index]!.key),
    receipts: indices.filter((index) => !refused(index)).map(receipt),
    errors: indices
      .filter(refused)
      .map((index) => entryError(index, entries[index] as SentEntry, refused(index)!)),
  };
}

function receipt(index: number): Message {
  return { index, key_hash: "0".repeat(64), outcome: "created", revision: 100 + index };
}

function entryError(index: number, { key }: SentEntry, code: string): Message {
  const retryable = ["overloaded", "unavailable", "timeout"].includes(code);
  return { index, key, code, message: `refused with ${code}`, detail: {}, retryable };
}
