import { fileURLToPath } from "node:url";
import { isMemoryError } from "@membus/protocol";

const FRAMES_MAX = 8;
const FRAME_LENGTH_MAX = 300;
const FRAME = /^\s+at /;
const OF_NODE = /\(node:|at node:/;
/** Folder of the suite. Its stack frames are omitted because they do not help a plugin author. */
const SUITE = fileURLToPath(new URL(".", import.meta.url));

/**
 * Returns at most 8 stack frames of an unexpected error, without frames of Node.js and of the suite.
 *
 * A `MemoryError` is a normal reply and has no frames unless another error caused it.
 */
export function stackFrames(error: unknown): string[] {
  const thrown = isMemoryError(error) ? error.cause : error;
  if (!(thrown instanceof Error) || isMemoryError(thrown) || typeof thrown.stack !== "string") return [];
  return thrown.stack
    .split("\n")
    .filter((line) => FRAME.test(line) && !OF_NODE.test(line) && !line.includes(SUITE))
    .slice(0, FRAMES_MAX)
    .map((line) => line.trim().slice(0, FRAME_LENGTH_MAX));
}

/** Returns the thrown error and its stack frames, one per line. */
export function thrownText(error: unknown): string {
  return [String(error), ...stackFrames(error)].join("\n");
}
