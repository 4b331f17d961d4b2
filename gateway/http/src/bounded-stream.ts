import type { ServerResponse } from "node:http";
import type { HttpContext } from "./http-context.js";

/** Bytes up to which waiting pieces are joined. */
const CHUNK_BYTES_MAX = 64 * 1024;

/** A response body for a producer that does not wait. A client that is too slow is disconnected. */
export class BoundedStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #outgoing: ServerResponse;
  readonly #bytesMax: number;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #isEnded = false;
  #wake = () => {};

  /** @param bytesMax bytes that may wait for the client. */
  constructor(c: HttpContext, bytesMax: number) {
    this.#outgoing = c.env.outgoing;
    this.#bytesMax = bytesMax;
    this.readable = new ReadableStream(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#clear() },
      { highWaterMark: 0 },
    );
    void c.get("openRequest").closed.then(() => this.#clear());
  }

  /** Bytes that the client has not taken. */
  get waitingBytes(): number {
    return this.#queuedBytes + this.#outgoing.writableLength;
  }

  get isOpen(): boolean {
    return !this.#isEnded && !this.#outgoing.destroyed;
  }

  /**
   * Queues `bytes`, however many they are.
   * @param waitingMax disconnects the client if more bytes wait already.
   * @returns false if the stream is closed.
   */
  push(bytes: Uint8Array, waitingMax = this.#bytesMax): boolean {
    if (!this.isOpen) return false;
    if (this.waitingBytes > waitingMax) {
      this.cut();
      return false;
    }
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.#wake();
    return true;
  }

  /** Ends the body once the client has read it. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Closes the connection, so that the client does not take the body for complete. */
  cut(): void {
    this.#outgoing.destroy();
    this.#clear();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#queue.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#queue.length === 0) return controller.close();
    controller.enqueue(this.#takeChunk());
  }

  /** Takes small pieces together, because each chunk costs a turn and a write. */
  #takeChunk(): Uint8Array {
    let [count, bytes] = [1, this.#queue[0]!.length];
    while (count < this.#queue.length && bytes + this.#queue[count]!.length <= CHUNK_BYTES_MAX) {
      bytes += this.#queue[count++]!.length;
    }
    const taken = this.#queue.splice(0, count);
    this.#queuedBytes -= bytes;
    return count === 1 ? taken[0]! : Buffer.concat(taken, bytes);
  }

  #clear(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
    this.end();
  }
}

/**
 * Copies `source` into `stream` as fast as it produces bytes.
 * @returns false if the client was too slow.
 * @throws the error of `source`, unless the client has left. The client sees a closed connection.
 */
export async function copyBody(
  source: ReadableStream<Uint8Array> | null,
  stream: BoundedStream,
): Promise<boolean> {
  if (!stream.isOpen) {
    await source?.cancel();
    return true;
  }
  try {
    for await (const bytes of source ?? []) {
      if (!stream.isOpen) break;
      if (!stream.push(bytes)) return false;
    }
  } catch (error) {
    // The producer may fail because the client has left.
    if (!stream.isOpen) return true;
    stream.cut();
    throw error;
  }
  stream.end();
  return true;
}
