import { Worker } from "node:worker_threads";
import { MemoryError } from "@membus/protocol";
import type { BusMessage, BusSubscription, HeaderMap, Intake } from "@membus/protocol/plugin";
import { notConnected } from "../../bus-errors.js";
import type { ConnectionState } from "../../connection-state.js";
import type { ResolvedBusDependencies } from "../../dependencies.js";
import { NO_HEADERS } from "../../headers.js";
import { type HandlerTracker, settledWithin } from "../../subscriptions.js";
import { type ResolvedNatsBusOptions, usesCredentials } from "../nats-options.js";
import { BatchCounter } from "./batch-counter.js";
import type {
  Batch,
  Call,
  FromThread,
  PackedMessage,
  ThreadError,
  ThreadStart,
  ToThread,
} from "./thread-messages.js";

interface Subscriber {
  readonly handlers: HandlerTracker;
  readonly intake: Intake;
}

interface PendingCall {
  resolve(): void;
  reject(error: Error): void;
}

/** The compiled file, also if this file runs as TypeScript. */
const THREAD = new URL("../../../dist/nats/intake/thread.js", import.meta.url);

/**
 * Thread with a separate connection for subscriptions with `intake`. It reads and refuses the messages of a
 * flood, which would otherwise wait in the server in front of all other messages.
 */
export class IntakeThread {
  readonly #worker: Worker;
  readonly #dependencies: ResolvedBusDependencies;
  readonly #subscribers = new Map<number, Subscriber>();
  readonly #calls = new Map<number, PendingCall>();
  readonly #counter = new BatchCounter();
  /**
   * Whether the thread sends the replies. A user may have the permission `allow_responses`, which is only valid on
   * the connection of the request. Without a user there are no permissions, and a reply takes the shorter way.
   */
  readonly #answers: boolean;
  /** State of the connection for events and replies. */
  readonly #state: ConnectionState;
  /** Batches that wait for this connection. The thread sends at most two. */
  readonly #waiting: Batch[] = [];
  #lastNumber = 0;
  /** Number of subscriptions that are being drained. Their last messages do not wait for the connection. */
  #drainingCount = 0;
  #subscribeError: Error | undefined;
  #hasEnded = false;

  /**
   * @param state of the connection for events and replies. While it is disconnected, no message is delivered,
   * because its events and its reply would be lost.
   * @param onEnded called if the thread ends unexpectedly.
   */
  constructor(
    options: ResolvedNatsBusOptions,
    senderTokens: number,
    state: ConnectionState,
    dependencies: ResolvedBusDependencies,
    onEnded: (error: Error) => void,
  ) {
    const start: ThreadStart = { options, senderTokens, processed: this.#counter.shared };
    this.#state = state;
    state.onChange(() => this.#deliverWaiting());
    this.#dependencies = dependencies;
    this.#answers = usesCredentials(options);
    // Without the flags and NODE_OPTIONS of this process, which may load other modules first, or TypeScript.
    const env = { NODE_OPTIONS: "" };
    this.#worker = new Worker(THREAD, { workerData: start, name: "membus-intake", execArgv: [], env });
    this.#worker.on("message", (message: FromThread) => this.#receive(message));
    this.#worker.on("error", (error) => {
      if (!this.#hasEnded) onEnded(error);
    });
    this.#worker.on("exit", () => this.#failCalls());
  }

  subscribe(subject: string, handlers: HandlerTracker, intake: Intake, queue?: string): BusSubscription {
    const id = ++this.#lastNumber;
    this.#subscribers.set(id, { handlers, intake });
    const given = queue === undefined ? {} : { queue };
    this.#call({ method: "subscribe", id, subject, ...given }).catch((error: Error) => {
      this.#subscribeError = error;
    });
    let draining: Promise<void> | undefined;
    const drain = async () => {
      this.#drainingCount++;
      this.#deliverWaiting();
      await this.#call({ method: "drain", id }).finally(() => this.#drainingCount--);
      await handlers.idle();
      this.#subscribers.delete(id);
    };
    return {
      get isClosed() {
        return draining !== undefined;
      },
      drain: () => {
        draining ??= drain();
        return draining;
      },
    };
  }

  /** Resolves when the server knows all subscriptions. Rejects if it has refused one. */
  async flush(): Promise<void> {
    await this.#call({ method: "flush" });
    const error = this.#subscribeError;
    this.#subscribeError = undefined;
    if (error !== undefined) throw error;
  }

  /** Waits at most `timeoutMs` for the messages in progress. */
  async close(timeoutMs: number): Promise<void> {
    await settledWithin(timeoutMs, this.#call({ method: "close" }), this.#dependencies.clock);
    this.#hasEnded = true;
    await this.#worker.terminate();
  }

  #call(call: Call): Promise<void> {
    if (this.#hasEnded) return Promise.reject(notConnected("closed"));
    const number = ++this.#lastNumber;
    return new Promise((resolve, reject) => {
      this.#calls.set(number, { resolve, reject });
      this.#post({ kind: "call", number, call });
    });
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    if (message.kind === "batch") {
      this.#waiting.push(message);
      this.#deliverWaiting();
    } else if (message.kind === "log") this.#dependencies.logger[message.level](message.fields, message.text);
    else {
      const pending = this.#calls.get(message.number);
      this.#calls.delete(message.number);
      if (message.error === undefined) pending?.resolve();
      else pending?.reject(fromThreadError(message.error));
    }
  }

  #deliverWaiting(): void {
    while (this.#drainingCount > 0 || this.#state.current !== "disconnected") {
      const batch = this.#waiting.shift();
      if (batch === undefined) return;
      this.#deliver(batch);
    }
  }

  #deliver({ messages, payloads, dropped }: Batch): void {
    let at = 0;
    for (const packed of messages) {
      const { refusedBytes } = packed;
      const subscriber = this.#subscribers.get(packed.id);
      const message = this.#unpacked(packed, new Uint8Array(payloads, at, packed.length));
      at += packed.length;
      if (refusedBytes === undefined) subscriber?.handlers.run(message);
      else subscriber?.intake.onRefused(message, refusedBytes);
    }
    if (dropped > 0) this.#subscribers.values().next().value?.intake.onDropped(dropped);
    if (this.#counter.add()) this.#post({ kind: "taken" });
  }

  #unpacked({ subject, reply, headers, isOverflowing }: PackedMessage, payload: Uint8Array): BusMessage {
    const message = { subject, headers: headers ?? NO_HEADERS, payload, isOverflowing };
    if (reply === undefined) return message;
    if (!this.#answers) return { ...message, reply };
    return { ...message, reply, respond: (bytes, own) => this.#respond(reply, bytes, own) };
  }

  #respond(subject: string, payload: Uint8Array, headers: HeaderMap): void {
    // A view would be sent with its whole buffer.
    this.#post({ kind: "publish", subject, payload: new Uint8Array(payload), headers });
  }

  #failCalls(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#calls.values()) reject(notConnected("closed"));
    this.#calls.clear();
  }
}

function fromThreadError({ code, message, detail }: ThreadError): Error {
  if (code === undefined) return new TypeError(message);
  const [known, text, fields] = [code, message, detail] as ConstructorParameters<typeof MemoryError>;
  return new MemoryError(known, text, fields);
}
