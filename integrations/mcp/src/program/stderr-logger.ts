import type { Writable } from "node:stream";
import type { Logger } from "@membus/protocol/plugin";

/**
 * Returns a logger that writes one line of JSON per message to standard error. Standard output is reserved
 * for the protocol.
 */
export function stderrLogger(stderr: Writable, isVerbose: boolean): Logger {
  const write = (level: "info" | "warn" | "error") => (fields: object, message: string) => {
    // Only unexpected errors need a stack trace.
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
