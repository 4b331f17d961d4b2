import { isMemoryError, type MemoryError } from "@membus/protocol";
import type { Finding } from "./check-node.js";

/**
 * Returns a finding for a provider that failed. Advice is added only to failures of the provider, because
 * other messages contain it.
 */
export function providerFinding(
  check: string,
  error: unknown,
  adviceFor: (error: MemoryError) => string,
): Finding {
  const message = error instanceof Error ? error.message : String(error);
  if (!isMemoryError(error)) return { check, state: "problem", found: message };
  return { check, state: "problem", found: message + causeOf(error), advice: adviceFor(error) };
}

/** Returns the innermost cause, such as "connect ECONNREFUSED 127.0.0.1:1" instead of "fetch failed". */
function causeOf(error: Error): string {
  let innermost: Error = error;
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  return innermost === error || innermost.message === "" ? "" : `: ${innermost.message}`;
}
