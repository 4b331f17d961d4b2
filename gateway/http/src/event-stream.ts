import { BoundedStream } from "./bounded-stream.js";
import type { HttpContext } from "./http-context.js";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // nginx would otherwise hold events back.
  "x-accel-buffering": "no",
};

const KEEP_ALIVE = Buffer.from(": \n\n");

/** Returns the bytes of one event. */
export function encodeEvent(lines: readonly string[]): Uint8Array {
  return Buffer.from(`data: ${lines.join("\ndata: ")}\n\n`);
}

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
    return this.writeEncoded(encodeEvent(lines));
  }

  /** Writes bytes of `encodeEvent`, which several streams may share. Returns false if the stream is closed. */
  writeEncoded(bytes: Uint8Array): boolean {
    if (!this.#stream.isOpen) return false;
    const isWritten = this.#stream.push(bytes, this.#bytesMax - bytes.length);
    if (!isWritten) this.#onTooSlow();
    return isWritten;
  }

  /** Writes a comment, so that neither proxies nor the client take the connection for dead. */
  keepAlive(): void {
    this.writeEncoded(KEEP_ALIVE);
  }

  end(): void {
    this.#stream.end();
  }
}
