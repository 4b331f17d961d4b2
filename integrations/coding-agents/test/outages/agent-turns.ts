import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runCli } from "../../../../cli/test/run-cli.js";

const MEMBUS = fileURLToPath(new URL("../../../../cli/bin/membus.js", import.meta.url));
const PYTHON = fileURLToPath(new URL("../../../../python/", import.meta.url));

/** Turns of an agent with the memory of membus, as the agent itself runs them. */
export interface AgentTurns {
  /** Runs a turn in which the user states something. Returns what the agent reads. */
  run(statement: string): Promise<string>;
  close(): Promise<void>;
}

export interface TurnsOptions {
  /** Address of the server. */
  readonly url: string;
  /** Folder of the outbox, and working folder of the agent. */
  readonly folder: string;
}

const hookArguments = (agent: string, { url, folder }: TurnsOptions) => [
  ...["hook", agent, "--nats", url, "--state", folder, "--no-start"],
];

/** Runs the hook of Claude Code for a prompt, in a process as Claude Code does. */
export function claudeCodeTurns(options: TurnsOptions): AgentTurns {
  const { folder } = options;
  return {
    async run(statement) {
      const event = {
        hook_event_name: "UserPromptSubmit",
        session_id: "s-1",
        cwd: folder,
        prompt: statement,
      };
      const { code, stdout, stderr } = await runCli(hookArguments("claude-code", options), {
        cwd: folder,
        input: JSON.stringify(event),
      });
      if (code !== 0) throw new Error(`the hook ended with ${code}: ${stderr}`);
      return stdout === "" ? "" : contextOf(JSON.parse(stdout));
    },
    close: () => Promise.resolve(),
  };
}

function contextOf(answer: { hookSpecificOutput?: { additionalContext: string } }): string {
  return answer.hookSpecificOutput?.additionalContext ?? "";
}

/** Runs turns of the memory provider for Hermes Agent, in one process of Python. */
export function hermesTurns(python: string, options: TurnsOptions): AgentTurns {
  const command = JSON.stringify([process.execPath, MEMBUS, ...hookArguments("hermes", options)]);
  const env = { ...process.env, PYTHONPATH: `${PYTHON}src`, PYTHONDONTWRITEBYTECODE: "1" };
  const child = spawn(python, [`${PYTHON}test/hermes_turns.py`, command], { cwd: options.folder, env });
  child.stderr.pipe(process.stderr);
  return new HermesTurns(child);
}

class HermesTurns implements AgentTurns {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async run(statement: string): Promise<string> {
    this.#child.stdin.write(`${JSON.stringify(statement)}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error("the memory provider has ended");
    return JSON.parse(line.value) as string;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.stdin.end();
    await exited;
  }
}
