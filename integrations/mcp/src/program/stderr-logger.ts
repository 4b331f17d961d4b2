import type { Writable } from "node:stream";
import type { Logger } from "@membus/protocol";

/** A line of JSON for each message. Standard output is the wire: nothing else may be written there. */
export function stderrLogger(stderr: Writable, isVerbose: boolean): Logger {
  const write = (level: "info" | "warn" | "error") => (fields: object, message: string) => {
    // Only what is a fault of ours needs the place.
    const shown = (_: string, value: unknown) =>
      value instanceof Error ? (level === "error" ? value.stack : value.message) : value;
    stderr.write(`${JSON.stringify({ level, message, ...fields }, shown)}\n`);
  };
  const silent = () => {};
  return {
    debug: silent,
    info: isVerbose ? write("info") : silent,
    warn: write("warn"),
    error: write("error"),
  };
}
