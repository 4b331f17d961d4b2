import { LIMITS, MemoryError } from "@membus/protocol";
import type { ChatMessage } from "../../model/index.js";
import { splitText } from "../../split-text.js";

/** Bytes reserved for the other fields of a task. */
const OTHER_BYTES = 16 * 1024;

/** Characters of a piece of a text. A character has at most 6 bytes as JSON. */
const PIECE_LENGTH_MAX = 40_000;

/**
 * Splits inputs into parts that fit into an entry, in order. A longer text, or text of a message, is divided.
 * @throws {MemoryError} `too_large` for a message that does not fit without its text. Nothing is then queued.
 */
export function splitInput(inputs: readonly (string | ChatMessage)[]): (string | ChatMessage)[][] {
  const parts: (string | ChatMessage)[][] = [];
  const max = LIMITS.entryBytes - OTHER_BYTES;
  let available = 0;
  for (const input of inputs.flatMap((one) => piecesOf(one, max))) {
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

function piecesOf(input: string | ChatMessage, max: number): (string | ChatMessage)[] {
  if (Buffer.byteLength(JSON.stringify(input)) < max) return [input];
  if (typeof input === "string") return splitText(input, PIECE_LENGTH_MAX);
  if (typeof input.content !== "string") return [input];
  return splitText(input.content, PIECE_LENGTH_MAX).map((content) => ({ ...input, content }));
}
