import { isMemoryError } from "@membus/protocol";
import { CommanderError } from "commander";

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly detail: object;
  readonly exitCode: number;
}

/** Says what went wrong and returns the exit code: 2 for a mistake of the caller, 1 for anything else. */
export function reportFailure(error: unknown, json: boolean): number {
  if (error instanceof CommanderError && error.message === "(outputHelp)") return error.exitCode;
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const { code, message, detail, exitCode } = failureOf(error);
  if (json) process.stderr.write(`${JSON.stringify({ error: { code, message, detail } })}\n`);
  else process.stderr.write(`membus: ${message}${code === "runtime_error" ? "" : ` (${code})`}\n`);
  return exitCode;
}

function failureOf(error: unknown): Failure {
  if (isMemoryError(error)) {
    const { code, message, detail } = error;
    return { code, message, detail, exitCode: 1 };
  }
  const message = error instanceof Error ? error.message.replace(/^error: /, "") : String(error);
  const isUsage = error instanceof TypeError || error instanceof CommanderError;
  const code = isUsage ? "usage" : "runtime_error";
  return { code, message, detail: {}, exitCode: isUsage ? 2 : 1 };
}
