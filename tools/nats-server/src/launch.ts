import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, delay, integerOption, type Logger, MemoryError, systemClock } from "@membus/protocol";
import { readClientPort } from "./ports-file.js";
import { readServerInfo, type ServerInfo } from "./server-info.js";
import {
  killProcess,
  type ServerExit,
  type ServerProcess,
  spawnServer,
  stopProcess,
} from "./server-process.js";

export interface LaunchOptions {
  /** Path of the nats-server program. */
  readonly binary: string;
  /**
   * Port for clients, 0..65535. 0 lets the server take a free one, so that two never race for it.
   * @default 0
   */
  readonly port?: number;
  /** Turns JetStream on and keeps its data here. Absent: no JetStream. */
  readonly storeDir?: string;
  /**
   * A nats-server configuration file. Address and port of this launch override its own. Absent: one that leaves 512 MiB
   * waiting for a client before the server gives it up as too slow, instead of 64.
   */
  readonly configFile?: string;
  /** Further arguments for nats-server. Address and port of this launch override theirs. */
  readonly extraArgs?: readonly string[];
  /** The server writes its process id here. */
  readonly pidFile?: string;
}

export interface LaunchServices {
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** A nats-server of ours, on loopback. It ends with this process, however that ends. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  /** Resolves when the server has ended, by us or by itself. Never rejects. */
  readonly exited: Promise<ServerExit>;
  /** Has it read its configuration file again (SIGHUP); one that is wrong changes nothing. Not on Windows. */
  reload(): void;
  /** SIGTERM; SIGKILL if it has not ended within 5 s. Resolves when it has ended; harmless afterwards. */
  stop(): Promise<void>;
  /** SIGKILL. Resolves when it has ended; harmless afterwards. */
  kill(): Promise<void>;
}

const HOST = "127.0.0.1";
/** What one fast sender has on the way to a host that is busy for a moment is more than the server's own default. */
const OWN_CONFIG = "max_pending: 536870912\n";
const READY_TIMEOUT_MS = 10_000;
const READY_POLL_MS = 10;
const STOP_TIMEOUT_MS = 5_000;

/**
 * Starts a nats-server on 127.0.0.1, without authentication unless `configFile` sets it up, and waits until it
 * greets a connection (10 s at most).
 * @throws {TypeError} for a port out of range.
 * @throws {MemoryError} `unavailable` when it does not start, with the end of its log; nothing is left running.
 */
export async function launchNatsServer(
  options: LaunchOptions,
  { logger, clock = systemClock }: LaunchServices = {},
): Promise<NatsServer> {
  integerOption(0, 65_535)(options.port ?? 0, "port");
  const portsDir = await mkdtemp(join(tmpdir(), "membus-nats-"));
  const configFile = options.configFile ?? (await ownConfig(portsDir));
  const server = spawnServer(options.binary, serverArguments({ ...options, configFile }, portsDir));
  const ready = await awaitReady(server, portsDir, clock);
  // Removed at once, not when the server ends: then nothing is left behind if we are killed.
  await rm(portsDir, { recursive: true, force: true });
  if (ready === undefined) {
    await killProcess(server);
    throw startFailure(options, server.lastLog);
  }
  const pid = server.pid as number;
  logger?.info({ port: ready.port, pid, version: ready.version }, "nats-server started");
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

async function ownConfig(directory: string): Promise<string> {
  const path = join(directory, "membus.conf");
  await writeFile(path, OWN_CONFIG);
  return path;
}

/** Ours come last: the server takes the last of two equal flags, so nothing can make it listen elsewhere. */
function serverArguments(options: LaunchOptions, portsDir: string): string[] {
  return [
    ...(options.extraArgs ?? []),
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

function startFailure(options: LaunchOptions, lastLog: string): MemoryError {
  const said = lastLog || "it said nothing";
  return new MemoryError("unavailable", `${options.binary} did not start: ${said}`, {
    binary: options.binary,
    port: options.port ?? 0,
  });
}
