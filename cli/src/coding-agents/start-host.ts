import { spawn } from "node:child_process";
import { closeSync, openSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { directoryHolder, hasListener, lockDirectory } from "@membus/disk";
import { isMemoryError, MemoryError, systemClock } from "@membus/protocol";
import { controlPath } from "../control/control-messages.js";
import { localPort, namesServer } from "../flags/local-server.js";
import type { AgentSettings } from "./agent-settings.js";
import { createHostKey } from "./host-key.js";
import { readHostRecord, reserveHost } from "./host-record.js";
import { lastLine } from "./last-line.js";

const MEMBUS = fileURLToPath(new URL("../../bin/membus.js", import.meta.url));
/** Windows ignores the first line of the launcher, which has flags of Node. */
const LAUNCHER: readonly [string, ...string[]] =
  process.platform === "win32" ? [process.execPath, MEMBUS] : [MEMBUS];

/** Size at which the log of the host is emptied before a start. */
const LOG_BYTES_MAX = 1024 * 1024;

/** Settings of the connection of a hook. They would lead the host to another server. */
const CONNECTION = /^(?:NATS_URL|MEMBUS_NATS_(?!SERVER$)\w+|MEMBUS_(?:DATA|AGENT|SESSION|NAMESPACE))$/;

/** A host that is started in the background. */
export interface StartedHost {
  /** Returns why the host has ended, with the last line of its log. Undefined while it runs. */
  failure(): MemoryError | undefined;
}

/**
 * Starts `membus up` in the background and calls `wait`, unless a host serves the data folder. Of several
 * processes at the same time, one starts a host, and all wait.
 */
export async function withStartedHost<T>(
  { config, stateFolder }: AgentSettings,
  wait: (host?: StartedHost) => Promise<T>,
): Promise<T> {
  const folder = lockFolder(stateFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(folder, { clock: systemClock }).catch((error: unknown) => {
    if (isMemoryError(error) && error.code === "conflict") return undefined;
    throw error;
  });
  try {
    const { data, nats } = config;
    if (lock === undefined || (await hasListener(controlPath(data)))) return await wait();
    const url = namesServer(config) ? nats.url : (await reserveHost(data, process.env)).url;
    const port = localPort({ nats: { url, port: nats.port } })!;
    return await wait(await startHost(data, port, join(stateFolder, "host.log")));
  } finally {
    await lock?.release();
  }
}

/**
 * Returns the address at which the host of the user listens, or will listen when a hook has started it. Takes no lock,
 * because a hook that does not get the lock starts no host.
 */
export async function expectedUrl({ config, stateFolder }: AgentSettings): Promise<string> {
  const last = await readHostRecord(process.env);
  // The host that is being started already listens, but has no control socket yet.
  const isStarting = (await directoryHolder(lockFolder(stateFolder))) !== undefined;
  if (isStarting && last !== undefined) return last.url;
  return (await reserveHost(last?.data ?? config.data, process.env)).url;
}

function lockFolder(stateFolder: string): string {
  return join(stateFolder, "host-start");
}

async function startHost(data: string, port: number, logPath: string): Promise<StartedHost> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  const settings = Object.entries(process.env).filter(([name]) => !CONNECTION.test(name));
  const env = { ...Object.fromEntries(settings), MEMBUS_NATS_NKEY: await createHostKey(process.env) };
  const log = openLog(logPath);
  let failure: MemoryError | undefined;
  const fail = (problem: string) => {
    const advice = `the host that was started ${problem}. Its log is ${logPath}`;
    failure ??= new MemoryError("unavailable", advice);
  };
  try {
    const [program, ...before] = LAUNCHER;
    const child = spawn(program, [...before, "up", "--data", data, "--port", String(port)], {
      // Not the project, so that its membus.yaml has no effect.
      cwd: dirname(logPath),
      detached: true,
      stdio: ["ignore", log.file, log.file],
      env,
    });
    child.on("error", (error) => fail(`cannot run: ${error.message}`));
    child.on("exit", (code, signal) => {
      fail(`ended with ${signal ?? code}: ${lastLine(logPath, log.sizeBytes)}`);
    });
    child.unref();
  } finally {
    closeSync(log.file);
  }
  return { failure: () => failure };
}

/** Opens a log for appending. A log of more than 1 MiB is emptied first. */
function openLog(path: string): { readonly file: number; readonly sizeBytes: number } {
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const isLong = sizeBytes > LOG_BYTES_MAX;
  return { file: openSync(path, isLong ? "w" : "a", 0o600), sizeBytes: isLong ? 0 : sizeBytes };
}
