import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Clock,
  delay,
  MemoryError,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
  systemClock,
} from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { readClientPort } from "./ports-file.js";
import { readServerInfo, type ServerInfo } from "./server-info.js";
import {
  killProcess,
  type ServerExit,
  type ServerProcess,
  spawnServer,
  stopProcess,
} from "./server-process.js";

const LaunchOptionsSchema = optionSet({
  /** Path of the nats-server program. */
  binary: option.text(),
  /** Port for clients. 0 lets the server choose a free port, so that two servers never compete for one. */
  port: option.integer(0, 65_535).default(0),
  /** Directory for JetStream data. Absent: JetStream is disabled. */
  storeDir: option.text().optional(),
  /**
   * Configuration file of nats-server. Address and port of this launch override those in the file. The
   * default configuration raises `max_pending` from 64 to 512 MiB, so that the server disconnects slow
   * clients later.
   */
  configFile: option.text().optional(),
  /** Public nkey of the only user that may connect. Without effect if there is a `configFile`. */
  nkey: option.text().optional(),
  /** Additional arguments for nats-server. Address and port of this launch override them. */
  extraArgs: option.list(option.text()).default([]),
  /** File for the process id of the server. */
  pidFile: option.text().optional(),
});

export interface LaunchOptions extends OptionsOf<typeof LaunchOptionsSchema> {}
interface ResolvedLaunchOptions extends ResolvedOptionsOf<typeof LaunchOptionsSchema> {}

export interface LaunchServices {
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** Running nats-server on loopback. It ends when this process ends, even if the process is killed. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  /** Resolves when the server has ended for any reason. Never rejects. */
  readonly exited: Promise<ServerExit>;
  /** Reloads the configuration file (SIGHUP). An invalid file has no effect. Not available on Windows. */
  reload(): void;
  /**
   * Stops the server with SIGTERM, and with SIGKILL after 5 s. Resolves when it has ended, also if called
   * again.
   */
  stop(): Promise<void>;
  /** Stops the server with SIGKILL. Resolves when it has ended, also if called again. */
  kill(): Promise<void>;
}

const HOST = "127.0.0.1";
/**
 * Default configuration. A fast sender can queue more than the server's default while the host is briefly
 * busy.
 */
const DEFAULT_CONFIG = "max_pending: 536870912\n";
const READY_TIMEOUT_MS = 10_000;
const READY_POLL_MS = 10;
const STOP_TIMEOUT_MS = 5_000;

/**
 * Starts a nats-server on 127.0.0.1 and waits until it accepts a connection (at most 10 s). Authentication is
 * off unless `nkey` or `configFile` enables it.
 *
 * @throws {TypeError} for an unknown option or a value out of range.
 * @throws {MemoryError} `unavailable` if it does not start, with the end of its log. No process is left
 * running.
 */
export async function launchNatsServer(
  input: LaunchOptions,
  { logger, clock = systemClock }: LaunchServices = {},
): Promise<NatsServer> {
  const options = parseOptions(LaunchOptionsSchema, input);
  const portsDir = await mkdtemp(join(tmpdir(), "membus-nats-"));
  const configFile = options.configFile ?? (await writeDefaultConfig(portsDir, options.nkey));
  const server = spawnServer(options.binary, serverArguments({ ...options, configFile }, portsDir));
  const ready = await awaitReady(server, portsDir, clock);
  // Removed now, so that no directory is left if this process is killed.
  await rm(portsDir, { recursive: true, force: true });
  if (ready === undefined) {
    await killProcess(server);
    throw startFailure(options, server.lastLog);
  }
  const pid = server.pid as number;
  logger?.info({ port: ready.port, pid, version: ready.version }, "started nats-server");
  return {
    url: `nats://${HOST}:${ready.port}`,
    ...ready,
    pid,
    exited: server.exited,
    reload: () => server.signal("SIGHUP"),
    stop: async () => void (await stopProcess(server, STOP_TIMEOUT_MS, clock)),
    kill: async () => void (await killProcess(server)),
  };
}

async function writeDefaultConfig(directory: string, nkey: string | undefined): Promise<string> {
  const path = join(directory, "membus.conf");
  const users = nkey === undefined ? "" : `authorization { users = [{ nkey: ${JSON.stringify(nkey)} }] }\n`;
  await writeFile(path, DEFAULT_CONFIG + users);
  return path;
}

/**
 * Returns the arguments. Our flags come last, because the server uses the last of two equal flags. No
 * argument can change the address.
 */
function serverArguments(options: ResolvedLaunchOptions, portsDir: string): string[] {
  return [
    ...options.extraArgs,
    ...(options.configFile === undefined ? [] : ["-c", options.configFile]),
    ...(options.storeDir === undefined ? [] : ["-js", "-sd", options.storeDir]),
    ...(options.pidFile === undefined ? [] : ["-P", options.pidFile]),
    ...["-a", HOST, "-p", String(options.port || -1), "--ports_file_dir", portsDir],
  ];
}

async function awaitReady(
  server: ServerProcess,
  portsDir: string,
  clock: Clock,
): Promise<(ServerInfo & { port: number }) | undefined> {
  const deadline = clock.now() + READY_TIMEOUT_MS / 1000;
  while (server.running && clock.now() < deadline) {
    const port = await readClientPort(portsDir);
    const leftMs = (deadline - clock.now()) * 1000;
    const info = port === undefined ? undefined : await readServerInfo(port, leftMs, clock);
    if (port !== undefined && info !== undefined) return { port, version: info.version };
    await Promise.race([delay(clock, READY_POLL_MS), server.exited]);
  }
  return undefined;
}

function startFailure(options: ResolvedLaunchOptions, lastLog: string): MemoryError {
  const { binary, port } = options;
  if (/address already in use/.test(lastLog)) {
    const text = `nats-server cannot listen on port ${port}: another program uses it`;
    return new MemoryError("unavailable", text, { binary, port, reason: "port_in_use" });
  }
  const log = lastLog || "no log output";
  return new MemoryError("unavailable", `${binary} did not start: ${log}`, { binary, port });
}
