import type { ServerResponse } from "node:http";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Of nginx: a proxy that gathers replies would hold them back.
  "x-accel-buffering": "no",
};

/** Server-sent events, as their one reader has them open. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #bytesMax: number;

  /** `onTooSlow`: more than `bytesMax` wait for the reader, who is cut off. */
  constructor(
    response: ServerResponse,
    bytesMax: number,
    readonly onTooSlow: () => void,
  ) {
    this.#response = response;
    this.#bytesMax = bytesMax;
    response.writeHead(200, HEADERS);
    response.flushHeaders();
  }

  /** Whether it was handed to the reader's connection. */
  write(lines: readonly string[]): boolean {
    return this.#write(`data: ${lines.join("\ndata: ")}\n\n`);
  }

  /** So that neither proxies nor the reader think it dead. */
  keepAlive(): void {
    this.#write(": \n\n");
  }

  end(): void {
    this.#response.end();
  }

  #write(text: string): boolean {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return false;
    if (response.writableLength + text.length > this.#bytesMax) {
      response.destroy();
      this.onTooSlow();
      return false;
    }
    response.write(text);
    return true;
  }
}
