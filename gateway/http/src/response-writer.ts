import type { ServerResponse } from "node:http";

/** Statuses of responses without a body. */
const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** A response with a body that is written piece by piece, as fast as the client reads it. */
export class ResponseWriter {
  /** Resolves when the response begins. */
  readonly response: Promise<Response>;
  readonly #outgoing: ServerResponse;
  readonly #signal: AbortSignal;
  readonly #body: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #resolveResponse!: (response: Response) => void;
  #hasBegun = false;
  #isClosed = false;
  /** Resolves when the client is ready for the next piece, or the signal aborts. */
  #isReady!: Promise<void>;
  #setReady = () => {};

  /** @param signal aborts when the response is no longer needed. */
  constructor(outgoing: ServerResponse, signal: AbortSignal) {
    this.#outgoing = outgoing;
    this.#signal = signal;
    this.response = new Promise((resolve) => {
      this.#resolveResponse = resolve;
    });
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#setReady(),
        cancel: () => {
          this.#isClosed = true;
        },
      },
      { highWaterMark: 0 },
    );
    signal.addEventListener("abort", () => this.#setReady(), { once: true });
    this.#waitForClient();
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** True if the body has ended, was cut or was cancelled. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends the status and the headers. */
  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.respond(new Response(NULL_BODY.has(status) ? null : this.#body, { status, headers }));
  }

  /** Sends a complete response, unless one has begun. */
  respond(response: Response): void {
    this.#hasBegun = true;
    this.#resolveResponse(response);
  }

  /** Waits until the client is ready. @throws if the signal aborts. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#isReady;
    this.#signal.throwIfAborted();
    if (this.#isClosed) throw new Error("the response is closed");
    this.#waitForClient();
    this.#controller.enqueue(bytes);
  }

  /** Ends the body after `last`. */
  end(last?: Uint8Array): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (last !== undefined && last.length > 0) this.#controller.enqueue(last);
    this.#controller.close();
  }

  /** Closes the connection, so that the client does not take the body for complete. */
  cut(): void {
    this.#outgoing.destroy();
    this.end();
  }

  #waitForClient(): void {
    this.#isReady = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    if (this.#signal.aborted) this.#setReady();
  }
}
