import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { MemoryError, type MemoryTier } from "@membus/protocol";

const SCRIPT = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("./host-process.ts", import.meta.url)
    : new URL("./host-process.js", import.meta.url),
);

export interface HostProcessOptions {
  /** File URL of the plugin module. */
  readonly module: string;
  readonly tier: MemoryTier;
  readonly url: string;
  readonly data: string;
  /** Arguments for node, such as a loader for TypeScript. */
  readonly nodeArguments: readonly string[];
}

export interface HostProcess {
  /** Sends SIGKILL. Resolves when the process has exited. */
  kill(): Promise<void>;
}

/**
 * Starts a host with one plugin in a separate process. Resolves when it serves.
 * @throws {MemoryError} `unavailable` with its error output, if it exits first.
 */
export async function startHostProcess(options: HostProcessOptions): Promise<HostProcess> {
  const { module, tier, url, data, nodeArguments } = options;
  const args = [...nodeArguments, SCRIPT, module, tier, url, data];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  let errorOutput = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-2_000);
  });
  const serving = once(child.stdout, "data").then(() => true);
  if (!(await Promise.race([serving, ended.then(() => false)]))) {
    throw new MemoryError("unavailable", `the host did not start: ${errorOutput}`);
  }
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return { kill };
}
