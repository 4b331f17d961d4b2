import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasListener, lockDirectory } from "@membus/disk";
import { isMemoryError, systemClock } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { controlPath } from "../control/control-messages.js";

const MEMBUS = fileURLToPath(new URL("../../bin/membus.js", import.meta.url));
/** Windows ignores the first line of the launcher, which has flags of Node. */
const LAUNCHER: readonly [string, ...string[]] =
  process.platform === "win32" ? [process.execPath, MEMBUS] : [MEMBUS];
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

/** Settings of the connection of a hook. They would lead the host to another server. */
const CONNECTION = /^(?:NATS_URL|MEMBUS_NATS_(?!SERVER$)\w+|MEMBUS_(?:DATA|AGENT|SESSION|NAMESPACE))$/;

/** Returns the port of the server that `membus up` would run at the configured address, or undefined. */
export function startablePort({ nats }: Config): number | undefined {
  if (nats.url === undefined) return nats.port;
  if (!URL.canParse(nats.url)) return undefined;
  const { protocol, hostname, port, username } = new URL(nats.url);
  const isLocal = protocol === "nats:" && LOOPBACK.has(hostname) && username === "";
  return isLocal ? Number(port || nats.port) : undefined;
}

/**
 * Starts `membus up` in the background and calls `wait`, unless a host serves the data folder. Of several
 * processes at the same time, one starts a host, and all wait.
 */
export async function withStartedHost<T>(
  { data }: Pick<Config, "data">,
  port: number,
  stateFolder: string,
  wait: () => Promise<T>,
): Promise<T> {
  const folder = join(stateFolder, "host-start");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(folder, { clock: systemClock }).catch((error: unknown) => {
    if (isMemoryError(error) && error.code === "conflict") return undefined;
    throw error;
  });
  try {
    if (lock !== undefined && !(await hasListener(controlPath(data)))) {
      await startHost(data, port, join(stateFolder, "host.log"));
    }
    return await wait();
  } finally {
    await lock?.release();
  }
}

async function startHost(data: string, port: number, logPath: string): Promise<void> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !CONNECTION.test(name)));
  const log = openSync(logPath, "w", 0o600);
  try {
    const [program, ...before] = LAUNCHER;
    const child = spawn(program, [...before, "up", "--data", data, "--port", String(port)], {
      // Not the project, so that its membus.yaml has no effect.
      cwd: dirname(logPath),
      detached: true,
      stdio: ["ignore", log, log],
      env,
    });
    child.on("error", () => undefined);
    child.unref();
  } finally {
    closeSync(log);
  }
}
