import type { Clock } from "@membus/protocol";
import { retryAfterMs } from "./retry-after.js";

export interface GuardedFetchOptions {
  /** Removed from errors. Empty if there is none. */
  readonly apiKey: string;
  readonly responseBytesMax: number;
  readonly retryAfterMsMax: number;
}

const REQUEST_HEADERS = ["accept", "authorization", "content-type", "user-agent"];
const RESPONSE_HEADERS = ["content-type", "retry-after", "retry-after-ms", "x-request-id", "x-should-retry"];

/**
 * Returns the `fetch` for the openai package. Without it the package would stop its timeout at the headers of
 * a reply. It would also wait for any `Retry-After`, and add headers from the environment and about the
 * machine.
 *
 * This `fetch`:
 * - returns when the whole reply has arrived, at most `responseBytesMax` of it
 * - forbids a retry when `Retry-After` exceeds `retryAfterMsMax`
 * - follows no redirects, so that texts go only to the configured server
 * - passes only known headers
 * - removes the API key from errors that repeat it
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
    if (size > bytesMax)
      throw new RangeError(`the reply is longer than ${bytesMax} bytes. Raise responseBytesMax`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
