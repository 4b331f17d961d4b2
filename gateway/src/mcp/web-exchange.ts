import type { IncomingMessage, ServerResponse } from "node:http";

/** Aborted when the client has gone. */
export function signalOf(response: ServerResponse): AbortSignal {
  const end = new AbortController();
  // It may have gone while a memory was looked for.
  if (response.destroyed) end.abort();
  response.once("close", () => end.abort());
  return end.signal;
}

/** A request as `fetch` has it, without the body, which is read already. */
export function webRequest(
  { method = "GET", url = "/", headersDistinct }: IncomingMessage,
  signal: AbortSignal,
): Request {
  const fields = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  // By which of its names the gateway was called is judged already.
  return new Request(`http://localhost${url}`, { method, headers: fields, signal });
}

/**
 * Writes an answer of `fetch` as it comes. A reader for whom more than `waitingBytesMax` wait is cut off: whoever makes the
 * answer does not wait for it.
 * @returns false for such a reader.
 * @throws what the answer fails with, which the reader sees as the end of the connection.
 */
export async function writeAnswer(
  answer: Response,
  response: ServerResponse,
  waitingBytesMax: number,
): Promise<boolean> {
  if (response.destroyed) {
    // Whoever makes the answer goes on until it is told.
    await answer.body?.cancel();
    return true;
  }
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  try {
    for await (const bytes of answer.body ?? []) {
      if (response.destroyed) break;
      if (response.writableLength > waitingBytesMax) {
        response.destroy();
        return false;
      }
      response.write(bytes);
    }
  } catch (error) {
    // Of one that has gone the answer ends this way, too.
    if (response.destroyed) return true;
    // An answer that is cut off is seen as one.
    response.destroy();
    throw error;
  }
  response.end();
  return true;
}
