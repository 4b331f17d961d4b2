import { runCommand } from "./run-command.js";

/** Working nats-server program. */
export interface NatsServerBinary {
  /** Absolute path. */
  readonly path: string;
  /** Version as printed, without the leading "v": "2.15.2". */
  readonly version: string;
  /** Location: given by the caller, on the PATH, or in the cache of membus. */
  readonly source: "option" | "path" | "cache";
}

export type Probe =
  | { readonly ok: true; readonly version: string }
  | { readonly ok: false; readonly reason: string };

export const BINARY_NAME = process.platform === "win32" ? "nats-server.exe" : "nats-server";

const PROBE_TIMEOUT_MS = 5_000;

/**
 * Runs `path -v` with the environment `env`. Returns the printed version, or the reason why it is not a
 * nats-server.
 */
export async function probeNatsServer(path: string, env: NodeJS.ProcessEnv): Promise<Probe> {
  try {
    const { stdout } = await runCommand(path, ["-v"], { env, timeoutMs: PROBE_TIMEOUT_MS });
    const version = /^nats-server: v(\d\S*)/.exec(stdout)?.[1];
    if (version === undefined)
      return { ok: false, reason: `${path} -v does not print a nats-server version` };
    return { ok: true, version };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
