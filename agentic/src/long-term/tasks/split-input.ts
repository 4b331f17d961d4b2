import { LIMITS, MemoryError } from "@membus/protocol";
import type { ChatMessage } from "../../model/index.js";

/** What a task has besides its input. */
const OTHER_BYTES = 16 * 1024;

/**
 * Inputs in parts that fit an entry each, in their order.
 * @throws {MemoryError} `too_large` for one that does not fit, so that all are queued or none.
 */
export function splitInput(inputs: readonly (string | ChatMessage)[]): (string | ChatMessage)[][] {
  const parts: (string | ChatMessage)[][] = [];
  const max = LIMITS.entryBytes - OTHER_BYTES;
  let room = 0;
  for (const input of inputs) {
    const bytes = Buffer.byteLength(JSON.stringify(input)) + 1;
    if (bytes > max) {
      const detail = { limit: "entryBytes", max, got: bytes };
      throw new MemoryError("too_large", `an input has ${bytes} bytes, which no entry takes`, detail);
    }
    if (bytes > room) {
      parts.push([]);
      room = max;
    }
    parts.at(-1)!.push(input);
    room -= bytes;
  }
  return parts;
}
