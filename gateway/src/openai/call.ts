import { type HttpContext, ResponseWriter } from "@membus/http";
import type { Clock } from "@membus/protocol";

/** A request to the model while it is answered. It ends when its client leaves, or nothing is transferred for too long. */
export class Call {
  /** Aborts when the call ends, so that requests to the model server and to memory end with it. */
  readonly signal: AbortSignal;
  readonly #writer: ResponseWriter;
  readonly #end = new AbortController();
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #cancelTimer = () => {};
  #isLate = false;

  /** @param timeoutMs time without progress after which the call ends. */
  constructor(c: HttpContext, clock: Clock, timeoutMs: number) {
    this.signal = this.#end.signal;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#writer = new ResponseWriter(c.env.outgoing, this.signal);
    void c.get("openRequest").closed.then(() => this.end());
    this.madeProgress();
  }

  /** Resolves when the response begins. */
  get response(): Promise<Response> {
    return this.#writer.response;
  }

  get hasBegun(): boolean {
    return this.#writer.hasBegun;
  }

  /** True if the call ended because nothing was transferred for too long. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Restarts the timeout. */
  madeProgress(): void {
    this.#cancelTimer();
    if (this.signal.aborted) return;
    this.#cancelTimer = this.#clock.after(this.#timeoutMs, () => {
      this.#isLate = true;
      this.end();
    });
  }

  end(): void {
    this.#cancelTimer();
    this.#end.abort();
  }

  /** Sends the status and the headers of the response. */
  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.#writer.begin(status, headers);
  }

  /** Waits until the client is ready. @throws if the call ends. */
  async write(bytes: Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    this.madeProgress();
    await this.#writer.write(bytes);
  }

  /** Ends the body of the response after `last`. */
  endBody(last?: Uint8Array): void {
    this.#writer.end(last);
  }

  /** Answers with `response`, or closes the connection if another response has begun and is not complete. */
  fail(response: Response): void {
    if (!this.#writer.hasBegun) this.#writer.respond(response);
    else if (!this.#writer.isClosed) this.#writer.cut();
  }
}
