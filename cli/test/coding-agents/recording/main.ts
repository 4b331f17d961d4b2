// Runs the hooks of two coding agents against a host, and draws what a terminal shows: `main.ts [FILE]`. It needs jq.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { RunningHost } from "../../running-host.js";
import { HookRun } from "../hook-run.js";
import { type TerminalLine, terminalSvg } from "./terminal-svg.js";

const MEMBUS = fileURLToPath(new URL("../../../bin/membus.js", import.meta.url));
const TITLE = "A preference that the user told Claude Code is recalled in a new session of Codex";

/** Payloads of hooks, as the agents write them to standard input. */
const PAYLOADS = {
  "prompt.json": {
    session_id: "claude-1",
    transcript_path: null,
    cwd: ".",
    hook_event_name: "UserPromptSubmit",
    prompt: "Always use pnpm in this repository, never npm.",
  },
  "start.json": {
    session_id: "codex-1",
    transcript_path: null,
    cwd: ".",
    hook_event_name: "SessionStart",
    source: "startup",
  },
};

/** Comments and commands of the picture. */
const SCRIPT = [
  "# Claude Code passes each prompt to its hook, which keeps what the user decides",
  "$ cat prompt.json",
  "$ membus hook claude-code < prompt.json",
  "",
  "# A new session of Codex in the same project: its hook returns what fits",
  "$ cat start.json",
  "$ membus hook codex < start.json | jq -r .hookSpecificOutput.additionalContext",
];

const host = new RunningHost();
await host.start();
const run = new HookRun(host.url);
try {
  for (const [name, payload] of Object.entries(PAYLOADS)) {
    // With spaces, at which long lines can break.
    writeFileSync(join(run.project, name), JSON.stringify(payload, undefined, 1).replaceAll(/\n */g, " "));
  }
  const lines: TerminalLine[] = [];
  for (const text of SCRIPT) lines.push(...(await linesOf(text)));
  writeFileSync(process.argv[2] ?? "docs/public/coding-agents.svg", terminalSvg(TITLE, lines));
} finally {
  run.remove();
  await host.stop();
}

/** Runs a command, and returns it with its output. */
async function linesOf(text: string): Promise<TerminalLine[]> {
  if (!text.startsWith("$ ")) return [{ kind: "comment", text }];
  const output = (await shell(text.slice(2))).trimEnd();
  return [{ kind: "command", text }, ...(output === "" ? [] : [{ kind: "output" as const, text: output }])];
}

async function shell(command: string): Promise<string> {
  const env = {
    ...process.env,
    NATS_URL: host.url,
    XDG_DATA_HOME: join(run.folder, "data"),
    XDG_STATE_HOME: join(run.folder, "state"),
  };
  const script = `membus() { "${MEMBUS}" "$@"; }\n${command}`;
  const { stdout } = await promisify(execFile)("sh", ["-c", script], { cwd: run.project, env });
  return stdout;
}
