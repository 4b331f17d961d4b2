import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";

/** Statuses of responses without a body. */
const BODILESS = new Set([204, 205, 304]);

/**
 * Sends a request as `fetch` does, and follows no redirects. `fetch` allows 300 s for the headers and between two
 * parts of the body, which slow local models exceed. Here only the caller's signal limits the time. A request on
 * a kept connection that the server has just closed is sent once more.
 */
export const sendRequest: typeof fetch = async (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  try {
    return toResponse(await send(url, init));
  } catch (error) {
    if (!isStale(error)) throw error;
    return toResponse(await send(url, init));
  }
};

/** A connection that was lost before the response began. */
class StaleConnection extends Error {
  override readonly name = "StaleConnection";
}

function isStale(error: unknown): boolean {
  return error instanceof StaleConnection;
}

function send(url: URL, { method = "GET", headers, body, signal }: RequestInit): Promise<IncomingMessage> {
  const start = url.protocol === "https:" ? httpsRequest : httpRequest;
  const options = {
    method,
    headers: { "user-agent": "membus", ...Object.fromEntries(new Headers(headers)) },
    ...(signal && { signal }),
  };
  return new Promise((resolve, reject) => {
    const request = start(url, options, resolve);
    request.on("error", (cause: NodeJS.ErrnoException) => {
      const isReset = request.reusedSocket && cause.code === "ECONNRESET" && signal?.aborted !== true;
      reject(isReset ? new StaleConnection("the kept connection was closed", { cause }) : cause);
    });
    request.end(body ?? undefined);
  });
}

function toResponse(message: IncomingMessage): Response {
  const { statusCode = 200, statusMessage = "", headers } = message;
  const init = { status: statusCode, statusText: statusMessage, headers: toHeaders(headers) };
  if (BODILESS.has(statusCode)) {
    message.resume();
    return new Response(null, init);
  }
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, init);
}

function toHeaders(headers: IncomingMessage["headers"]): Headers {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) copied.append(name, one);
  }
  return copied;
}
