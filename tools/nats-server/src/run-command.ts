import { type ExecFileException, execFile } from "node:child_process";
import { MemoryError } from "@membus/protocol";

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Time limit in milliseconds. The command is then killed with SIGKILL. */
  readonly timeoutMs: number;
  readonly cwd?: string;
}

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Runs a program without a shell and with an empty standard input, so that it cannot wait for input.
 *
 * @throws {MemoryError} `unavailable` with the reason in one line: not found, not executable, timeout, or the
 * end of its standard error.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  { env, timeoutMs, cwd }: CommandOptions,
): Promise<CommandOutput> {
  return new Promise((resolve, reject) => {
    const limits = { timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: OUTPUT_BYTES_MAX } as const;
    const child = execFile(
      command,
      args,
      { env, ...(cwd && { cwd }), ...limits },
      (error, stdout, stderr) => {
        if (error === null) resolve({ stdout, stderr });
        else reject(commandFailure(command, error, stderr, timeoutMs));
      },
    );
    child.stdin?.end();
  });
}

function commandFailure(
  command: string,
  error: ExecFileException,
  stderr: string,
  timeoutMs: number,
): MemoryError {
  const message = `${command} ${failureReason(error, stderr, timeoutMs)}`;
  return new MemoryError("unavailable", message, {}, { cause: error });
}

function failureReason(error: ExecFileException, stderr: string, timeoutMs: number): string {
  if (error.code === "ENOENT") return "was not found";
  if (error.code === "EACCES") return "is not executable";
  if (error.killed === true) return `did not finish within ${timeoutMs / 1000} s`;
  return `failed: ${lastLines(stderr) || `exit code ${error.code}`}`;
}

/** Returns the last three non-empty lines of `output`, joined into one. */
export function lastLines(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .slice(-3)
    .join(" | ");
}
