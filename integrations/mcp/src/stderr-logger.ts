import type { Writable } from "node:stream";
import type { Logger } from "@membus/protocol";

/** A line of JSON for each message. Standard output is the wire: nothing else may be written there. */
export function stderrLogger(stderr: Writable, isVerbose: boolean): Logger {
  const write = (level: string) => (fields: object, message: string) => {
    const shown = Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? value.message : value,
    ]);
    stderr.write(`${JSON.stringify({ level, message, ...Object.fromEntries(shown) })}\n`);
  };
  const silent = () => {};
  return {
    debug: silent,
    info: isVerbose ? write("info") : silent,
    warn: write("warn"),
    error: write("error"),
  };
}
