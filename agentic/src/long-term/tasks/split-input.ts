import { LIMITS } from "@membus/protocol";
import type { ChatMessage } from "../../model/index.js";

/** What a task has besides its input. */
const OTHER_BYTES = 16 * 1024;

/**
 * Inputs in parts that fit an entry each, in their order. One that does not fit is alone, for the host to refuse.
 */
export function splitInput(inputs: readonly (string | ChatMessage)[]): (string | ChatMessage)[][] {
  const parts: (string | ChatMessage)[][] = [];
  let room = 0;
  for (const input of inputs) {
    const bytes = Buffer.byteLength(JSON.stringify(input)) + 1;
    if (bytes > room) {
      parts.push([]);
      room = LIMITS.entryBytes - OTHER_BYTES;
    }
    parts.at(-1)!.push(input);
    room -= bytes;
  }
  return parts;
}
