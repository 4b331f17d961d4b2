import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CliResult, runCli } from "../run-cli.js";

/** Runs `membus hook` and `membus outbox` with folders that are removed at the end. */
export class HookRun {
  readonly folder = mkdtempSync(join(tmpdir(), "membus-hooks-"));
  readonly project = join(this.folder, "project");
  /** Empty: the commands get no address. */
  readonly url: string;

  constructor(url: string) {
    this.url = url;
    mkdirSync(this.project);
  }

  /** Runs a hook with fields of its payload. Fails if it prints other text than one JSON object. */
  async hook(
    fields: Readonly<Record<string, unknown>>,
    flags: readonly string[] = [],
    options: HookOptions = {},
  ): Promise<CliResult> {
    const payload = { session_id: "s-1", transcript_path: null, cwd: this.project, ...fields };
    return this.cli(["hook", "claude-code", ...flags], JSON.stringify(payload), options);
  }

  /** Returns the answer of a hook. */
  async answer(
    fields: Readonly<Record<string, unknown>>,
    flags: readonly string[] = [],
    options: HookOptions = {},
  ): Promise<HookAnswer> {
    const { code, stdout, stderr } = await this.hook(fields, flags, options);
    if (code !== 0 || stderr !== "") throw new Error(`ended with ${code}: ${stderr}`);
    return stdout === "" ? {} : (JSON.parse(stdout) as HookAnswer);
  }

  /** Environment variables that name the folders of the user. */
  get env(): Readonly<Record<string, string>> {
    return { XDG_DATA_HOME: join(this.folder, "data"), XDG_STATE_HOME: join(this.folder, "state") };
  }

  cli(args: readonly string[], input?: string, { node, env }: HookOptions = {}): Promise<CliResult> {
    return runCli(args, {
      url: this.url,
      cwd: this.project,
      env: { ...this.env, ...env },
      ...(input !== undefined && { input }),
      ...(node !== undefined && { wrap: (command) => [process.execPath, ...node, ...command] }),
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

interface HookOptions {
  /** Starts the program with these flags of Node, instead of the flags in its first line. */
  readonly node?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface HookAnswer {
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
}
