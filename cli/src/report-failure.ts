import { isMemoryError } from "@membus/protocol";

/** Says what went wrong and returns the exit code: 2 for a mistake of the caller, 1 for anything else. */
export function reportFailure(error: unknown, json: boolean): number {
  const usage = error instanceof TypeError;
  const code = isMemoryError(error) ? error.code : usage ? "usage" : "runtime_error";
  const message = error instanceof Error ? error.message : String(error);
  const detail = isMemoryError(error) ? error.detail : {};
  if (json) process.stderr.write(`${JSON.stringify({ error: { code, message, detail } })}\n`);
  else process.stderr.write(`membus: ${message}${code === "runtime_error" ? "" : ` (${code})`}\n`);
  return usage ? 2 : 1;
}
