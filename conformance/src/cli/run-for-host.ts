import { spawn } from "node:child_process";
import { once } from "node:events";
import { systemClock, withTimeout } from "@membus/protocol";
import { ExpectationError, UntestableError } from "../expect.js";

const COMMAND_TIMEOUT_MS = 60_000;
const HOST_TIMEOUT_MS = 60_000;

/** A shell command that changes the host under test, and the flag that gave it. */
export interface HostScript {
  readonly flag: string;
  readonly command: string;
}

/**
 * Runs a shell command, and resolves once the host answers again. The output of the command goes to standard error.
 *
 * @throws {UntestableError} if the command fails or does not end.
 * @throws {ExpectationError} if the host does not answer afterwards.
 */
export async function runForHost(
  { flag, command }: HostScript,
  answers: (patienceMs: number) => Promise<boolean>,
): Promise<void> {
  const child = spawn(command, { shell: true, detached: true, stdio: ["ignore", 2, 2] });
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  const exit = await withTimeout(systemClock, COMMAND_TIMEOUT_MS, ended);
  if (exit === undefined) {
    child.unref();
    throw new UntestableError(
      `the command of ${flag} did not end within ${COMMAND_TIMEOUT_MS / 1_000} s. Let it start hosts in the background`,
    );
  }
  const [code, signal] = exit;
  if (code !== 0)
    throw new UntestableError(`the command of ${flag} ended with ${signal ?? `exit code ${code}`}`);
  if (await answers(HOST_TIMEOUT_MS)) return;
  throw new ExpectationError({
    what: `the host after the command of ${flag}`,
    expected: `an answer within ${HOST_TIMEOUT_MS / 1_000} s`,
    got: "none",
  });
}
