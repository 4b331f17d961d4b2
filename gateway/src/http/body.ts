import type { IncomingMessage } from "node:http";

/** What was read of a body. */
export interface Body {
  /** Cut off at the bound. */
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Reads on behind the bound, and keeps nothing of it: only then does the client hear the answer. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (bytes < bytesMax) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > 4 * bytesMax) request.destroy();
  }
  const isWhole = bytes <= bytesMax;
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), isWhole };
}
