import { isMemoryError } from "@membus/protocol";
import { CommanderError } from "commander";
import { PluginLoadError } from "../compose/load-plugin.js";
import { accessAdvice, adviceFor } from "./advice.js";
import { printable, printableJson } from "./printable.js";

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly detail: object;
  /** Suggested fix. */
  readonly advice?: string | undefined;
}

/** Prints the failure and returns the exit code: 2 for incorrect usage, 1 for other failures. */
export function reportFailure(error: unknown, json: boolean): number {
  if (isHelpOrVersion(error)) return error.exitCode;
  const failure = failureOf(error);
  const shown = json ? printableJson(JSON.stringify({ error: failure })) : printable(describe(failure));
  process.stderr.write(`${shown}\n`);
  return failure.code === "usage" ? 2 : 1;
}

function isHelpOrVersion(error: unknown): error is CommanderError {
  return error instanceof CommanderError && (error.exitCode === 0 || error.message === "(outputHelp)");
}

function failureOf(error: unknown): Failure {
  if (isMemoryError(error)) {
    const { code, message, detail } = error;
    return { code, message, detail, advice: adviceFor(error) };
  }
  const message = error instanceof Error ? error.message.replace(/^error: /, "") : String(error);
  const isUsage = error instanceof TypeError || error instanceof CommanderError;
  const advice = error instanceof PluginLoadError ? error.advice : accessAdvice(message);
  return { code: isUsage ? "usage" : "runtime_error", message, detail: {}, advice };
}

function describe({ code, message, advice }: Failure): string {
  const shownCode = code === "runtime_error" ? "" : ` (${code})`;
  return `membus: ${message}${shownCode}${advice === undefined ? "" : `\n  ${advice}`}`;
}
