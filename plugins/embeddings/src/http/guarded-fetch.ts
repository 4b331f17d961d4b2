import type { Clock } from "@membus/protocol";
import { retryAfterMs } from "./retry-after.js";

export interface GuardedFetchOptions {
  /** Taken out of errors; empty for none. */
  readonly apiKey: string;
  readonly responseBytesMax: number;
  readonly retryAfterMsMax: number;
}

const REQUEST_HEADERS = ["accept", "authorization", "content-type", "user-agent"];
const RESPONSE_HEADERS = ["content-type", "retry-after", "retry-after-ms", "x-request-id", "x-should-retry"];

/**
 * The `fetch` under the openai package, which by itself ends its timeout at the headers of a reply, waits for
 * as long as `Retry-After` says, and adds headers from the environment and about the machine.
 *
 * This one returns when the whole reply is there, at most `responseBytesMax` of it, forbids another attempt
 * when `Retry-After` is over `retryAfterMsMax`, follows no redirects (texts go only where they were meant to),
 * passes the headers it knows, and takes the API key out of errors that repeat it.
 */
export function createGuardedFetch(options: GuardedFetchOptions, clock: Clock): typeof fetch {
  return async (url, init) => {
    const headers = pickHeaders(new Headers(init?.headers), REQUEST_HEADERS);
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    const body = await readBody(response, options.responseBytesMax);
    return new Response(body.length === 0 ? null : withoutKey(body, response.ok ? "" : options.apiKey), {
      status: response.status,
      headers: responseHeaders(response.headers, options.retryAfterMsMax, clock),
    });
  };
}

function responseHeaders(received: Headers, retryAfterMsMax: number, clock: Clock): Headers {
  const headers = pickHeaders(received, RESPONSE_HEADERS);
  if ((retryAfterMs(headers, clock) ?? 0) > retryAfterMsMax) headers.set("x-should-retry", "false");
  return headers;
}

function pickHeaders(from: Headers, names: readonly string[]): Headers {
  return new Headers([...from].filter(([name]) => names.includes(name)));
}

function withoutKey(body: Buffer<ArrayBuffer>, apiKey: string): Buffer<ArrayBuffer> | string {
  return apiKey === "" ? body : body.toString().replaceAll(apiKey, "[api key]");
}

async function readBody(response: Response, bytesMax: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > bytesMax) throw new RangeError(`the reply is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
