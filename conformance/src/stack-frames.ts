import { fileURLToPath } from "node:url";
import { isMemoryError } from "@membus/protocol";

const FRAMES_MAX = 8;
const FRAME_LENGTH_MAX = 300;
const FRAME = /^\s+at /;
const OF_NODE = /\(node:|at node:/;
/** Where the suite itself is: its frames tell its reader nothing about a plugin. */
const SUITE = fileURLToPath(new URL(".", import.meta.url));

/**
 * Where an error that nobody expects was thrown: the first frames of its stack, at most 8, without those of Node and of
 * the suite. None for a `MemoryError`, which is an answer, unless something else caused it.
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

/** What was thrown, and where, a frame a line. */
export function thrownText(error: unknown): string {
  return [String(error), ...stackFrames(error)].join("\n");
}
