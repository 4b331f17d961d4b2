import { BoundedStream } from "./bounded-stream.js";
import type { HttpContext } from "./http-context.js";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // nginx would otherwise hold events back.
  "x-accel-buffering": "no",
};

/** Server-sent events to one client. */
export class EventStream {
  readonly response: Response;
  readonly #stream: BoundedStream;
  readonly #bytesMax: number;
  readonly #onTooSlow: () => void;

  /** @param onTooSlow called when the client is disconnected because more than `bytesMax` would wait for it. */
  constructor(c: HttpContext, bytesMax: number, onTooSlow: () => void = () => {}) {
    this.#stream = new BoundedStream(c, bytesMax);
    this.#bytesMax = bytesMax;
    this.#onTooSlow = onTooSlow;
    this.response = c.body(this.#stream.readable, 200, HEADERS);
    c.get("openRequest").becomeStream();
  }

  get waitingBytes(): number {
    return this.#stream.waitingBytes;
  }

  /** Writes one event. Returns false if the stream is closed. */
  write(lines: readonly string[]): boolean {
    return this.#write(`data: ${lines.join("\ndata: ")}\n\n`);
  }

  /** Writes a comment, so that neither proxies nor the client take the connection for dead. */
  keepAlive(): void {
    this.#write(": \n\n");
  }

  end(): void {
    this.#stream.end();
  }

  #write(text: string): boolean {
    if (!this.#stream.isOpen) return false;
    const bytes = Buffer.from(text);
    const isWritten = this.#stream.push(bytes, this.#bytesMax - bytes.length);
    if (!isWritten) this.#onTooSlow();
    return isWritten;
  }
}
