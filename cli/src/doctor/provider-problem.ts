import { isMemoryError, type MemoryError } from "@membus/protocol";
import type { Finding } from "./check-node.js";

/** What is wrong with a provider, and what to do about it; anything but a failure of its own says that by itself. */
export function providerProblem(
  check: string,
  error: unknown,
  adviceFor: (error: MemoryError) => string,
): Finding {
  const message = error instanceof Error ? error.message : String(error);
  if (!isMemoryError(error)) return { check, state: "problem", found: message };
  return { check, state: "problem", found: message + causeOf(error), advice: adviceFor(error) };
}

/** The innermost cause: "fetch failed" tells less than "connect ECONNREFUSED 127.0.0.1:1". */
function causeOf(error: Error): string {
  let innermost: Error = error;
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  return innermost === error || innermost.message === "" ? "" : `: ${innermost.message}`;
}
