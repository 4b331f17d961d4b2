import { LIMITS, MemoryError } from "@membus/protocol";
import type { ChatMessage } from "../../model/index.js";

/** Bytes reserved for the other fields of a task. */
const OTHER_BYTES = 16 * 1024;

/**
 * Splits inputs into parts that fit into an entry, in order.
 * @throws {MemoryError} `too_large` for an input that does not fit. Nothing is then queued.
 */
export function splitInput(inputs: readonly (string | ChatMessage)[]): (string | ChatMessage)[][] {
  const parts: (string | ChatMessage)[][] = [];
  const max = LIMITS.entryBytes - OTHER_BYTES;
  let available = 0;
  for (const input of inputs) {
    const bytes = Buffer.byteLength(JSON.stringify(input)) + 1;
    if (bytes > max) {
      const detail = { limit: "entryBytes", max, got: bytes };
      throw new MemoryError("too_large", `an input has ${bytes} bytes, limit ${max}. Split it`, detail);
    }
    if (bytes > available) {
      parts.push([]);
      available = max;
    }
    parts.at(-1)!.push(input);
    available -= bytes;
  }
  return parts;
}
