import type { Call } from "./call.js";
import { clientHeaders } from "./headers.js";

/** Whether an answer was made with memory, as its `X-Membus-Memory` reports. */
export type MemoryState = "attached" | "unavailable" | "off";

/** Sends the status and the headers of an answer. */
export function begin(answer: Response, call: Call, memory: MemoryState): void {
  call.begin(answer.status, { ...clientHeaders(answer.headers), "x-membus-memory": memory });
}

/** Passes an answer on as it arrives. @throws if the answer is cut off. */
export async function passOn(answer: Response, call: Call, memory: MemoryState): Promise<void> {
  begin(answer, call, memory);
  for await (const bytes of piecesOf(answer, call)) await call.write(bytes);
  call.endBody();
}

export async function* piecesOf(answer: Response, call: Call): AsyncGenerator<Uint8Array> {
  for await (const bytes of answer.body ?? []) {
    call.madeProgress();
    yield bytes;
  }
}

export function isEventStream(answer: Response): boolean {
  return answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
}
