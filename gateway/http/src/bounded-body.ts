import type { IncomingMessage } from "node:http";
import type { MiddlewareHandler } from "hono";
import type { Body, HttpContext, HttpEnv } from "./http-context.js";

/** A client reads the answer only after it has sent its body, so that up to this many bounds are read and dropped. */
const READ_FACTOR = 4;

/**
 * Reads the body into `c.get("body")`.
 * @param bytesMax bound of the body. The connection is closed after four times as many bytes.
 * @param refuse answers a longer body. Without it the handler receives the truncated body.
 */
export function boundedBody(
  bytesMax: number,
  refuse?: (c: HttpContext) => Response,
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const body = await readBody(c.env.incoming, bytesMax);
    if (!body.isWhole && refuse !== undefined) return refuse(c);
    c.set("body", body);
    return next();
  };
}

/** Reads a body up to `bytesMax`. The connection is closed after four times as many bytes. */
export async function readBody(incoming: IncomingMessage, bytesMax: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (size < bytesMax) chunks.push(chunk);
    size += chunk.length;
    if (size > READ_FACTOR * bytesMax) incoming.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), isWhole: size <= bytesMax };
}
