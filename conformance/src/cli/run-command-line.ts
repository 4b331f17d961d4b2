import { isMemoryError, systemClock } from "@membus/protocol";
import { CommanderError } from "commander";
import { ExpectationError } from "../expect.js";
import { EXIT_CODES } from "./exit-codes.js";
import { createProgram } from "./program.js";
import type { CommandLineOptions } from "./through-host.js";
import { UsageError } from "./usage-error.js";

/** Maximum time that timers and connections of a plugin keep the process running after the end of the run. */
const LINGER_MS = 2_000;

const UNKNOWN_COMMAND_HINT = ", a plugin is tested by `plugin MODULE`, a host by `host`";

/** Runs the command in the arguments of the process and sets its exit code. */
export async function runCommandLine(options: CommandLineOptions = {}, argv = process.argv): Promise<void> {
  // The reader of the output has closed the pipe, as `head` does, so writing is pointless.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  process.on("uncaughtException", (error) => {
    process.stderr.write(`membus-conformance: unhandled error of the implementation or of the suite:\n`);
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(EXIT_CODES.suiteError);
  });
  try {
    await createProgram(options).parseAsync(argv);
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
  await Promise.all([written(process.stdout), written(process.stderr)]);
  systemClock.after(LINGER_MS, () => process.exit(), { background: true });
}

/** Resolves once the reader has received all output or has closed the pipe. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}

/** Reports why nothing was tested and returns the exit code. */
function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_CODES.conformant;
    const hint = error.code === "commander.unknownCommand" ? UNKNOWN_COMMAND_HINT : "";
    if (error.message !== "(outputHelp)") complain(`${error.message.replace(/^error: /, "")}${hint}`);
    return EXIT_CODES.usage;
  }
  // A bus error. A refusal by the plugin or host is a result, not an error of the run.
  if (error instanceof UsageError || isMemoryError(error)) {
    complain(error.message);
    return EXIT_CODES.usage;
  }
  if (error instanceof ExpectationError) {
    complain(`not conformant, and nothing else could be tested: ${error.message}`);
    return EXIT_CODES.notConformant;
  }
  complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT_CODES.suiteError;
}

function complain(message: string): void {
  process.stderr.write(`membus-conformance: ${message}\n`);
}
