import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Built executable, as users run it. `npm test` builds it first. */
const BIN = fileURLToPath(new URL("../bin/membus-conformance.js", import.meta.url));

export interface SuiteCliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Starts `membus-conformance <args>` in `cwd`, which is also its temporary folder, without the tester's
 * environment settings.
 */
export function spawnSuite(args: readonly string[], cwd: string): ChildProcessWithoutNullStreams {
  const isSetting = (name: string) => name.startsWith("MEMBUS_") || name === "NATS_URL";
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)));
  return spawn(process.execPath, [BIN, ...args], { cwd, env: { ...env, TMPDIR: cwd } });
}

export async function runSuiteCli(args: readonly string[], cwd: string): Promise<SuiteCliResult> {
  return resultOf(spawnSuite(args, cwd));
}

export async function resultOf(child: ChildProcessWithoutNullStreams): Promise<SuiteCliResult> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    stderr += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
