import { execFile } from "node:child_process";

/** Time after which the agent continues without the answer. `membus hook` ends within 15 seconds. */
const TIMEOUT_MS = 20_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

/** The fields of an answer that plugins read. */
export interface HookReply {
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly additionalContext: string };
}

/** Program and arguments of `membus hook <agent>`. */
export type HookCommand = readonly [string, ...string[]];

/** Returns the command in the options of a plugin, or undefined if there is none. */
export function commandIn(options: Readonly<Record<string, unknown>> | undefined): HookCommand | undefined {
  const command = options?.command;
  if (!Array.isArray(command) || command.length === 0) return undefined;
  return command.every((word) => typeof word === "string") ? (command as [string, ...string[]]) : undefined;
}

/**
 * Runs `membus hook` with a payload. A failure of the program is a message in the answer.
 * @throws {Error} if the payload is no JSON, or the system refuses the arguments.
 */
export async function runHookProcess(
  [program, ...args]: HookCommand,
  payload: Readonly<Record<string, unknown>> & { readonly cwd: string },
): Promise<HookReply> {
  const input = JSON.stringify(payload);
  return new Promise((resolve) => {
    const options = { cwd: payload.cwd, timeout: TIMEOUT_MS, maxBuffer: ANSWER_BYTES_MAX, windowsHide: true };
    const child = execFile(program, args, options, (error, stdout) =>
      resolve(error === null ? parseAnswer(stdout) : failure(error.message)),
    );
    // A program that does not start closes its input. The callback above reports why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

function parseAnswer(text: string): HookReply {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as HookReply;
  } catch {
    return failure(`the hook answered no JSON: ${text.slice(0, 200)}`);
  }
}

function failure(message: string): HookReply {
  return { systemMessage: `membus: ${message}` };
}
