import type { Call } from "./call.js";
import { clientHeaders } from "./headers.js";

/** What memory was to an answer, as its `X-Membus-Memory` says. */
export type MemoryState = "attached" | "unavailable" | "off";

/** The status and the headers of an answer. */
export function begin(answer: Response, call: Call, memory: MemoryState): void {
  call.response.writeHead(answer.status, { ...clientHeaders(answer.headers), "x-membus-memory": memory });
  call.response.flushHeaders();
}

/** An answer as it comes. @throws where it is cut off. */
export async function passOn(answer: Response, call: Call, memory: MemoryState): Promise<void> {
  begin(answer, call, memory);
  for await (const bytes of piecesOf(answer, call)) await call.write(bytes);
  call.response.end();
}

export async function* piecesOf(answer: Response, call: Call): AsyncGenerator<Uint8Array> {
  for await (const bytes of answer.body ?? []) {
    call.moves();
    yield bytes;
  }
}

export function isEventStream(answer: Response): boolean {
  return answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
}
