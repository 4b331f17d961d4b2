import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { mappingLines } from "@membus/cluster/routing";
import { MemoryError } from "@membus/protocol";
import type { Session } from "../session.js";
import {
  localServers,
  monitoringOf,
  natsServerConfigs,
  type PlannedServer,
  serversNamed,
  urlsOf,
} from "./nats-server-config.js";

const STORE_DIR = "/var/lib/nats";
const MAPPING_FILE = "membus-mapping.conf";

export interface ServerConfigOptions {
  /** Names of all servers. Absent: three servers on this machine. */
  readonly servers?: readonly string[] | undefined;
  readonly shardCount: number;
  /** Folder of JetStream's files on each server. By default `/var/lib/nats`, on this machine `output`. */
  readonly storeDir?: string | undefined;
  /** Folder of the files. It is created. By default the working directory. */
  readonly output?: string | undefined;
  /** File that is included in place of one with the mapping, as `membus auth` writes it. */
  readonly include?: string | undefined;
}

/**
 * Writes a configuration for each nats-server, and the mapping.
 * @throws {TypeError} for invalid names. {MemoryError} `conflict` if a file exists. Nothing is written then.
 */
export async function writeServerConfigs(
  { config, output }: Session,
  { servers: names, shardCount, storeDir, output: folder = ".", include }: ServerConfigOptions,
): Promise<void> {
  const isLocal = names === undefined;
  const servers = isLocal
    ? localServers(resolve(storeDir ?? folder))
    : serversNamed(names, storeDir ?? STORE_DIR);
  const configs = natsServerConfigs(servers, include ?? MAPPING_FILE);
  const files = new Map([...configs].map(([server, text]) => [join(folder, `${server}.conf`), text]));
  if (include === undefined)
    files.set(join(folder, MAPPING_FILE), `${mappingLines(config.prefix, shardCount)}\n`);
  const written = [...files.keys()];
  const existing = written.find((file) => existsSync(file));
  if (existing !== undefined)
    throw new MemoryError("conflict", `${existing} exists: move it away, or choose another --output`);
  await mkdir(folder, { recursive: true });
  for (const [file, text] of files) await writeFile(file, text, { flag: "wx" });
  const result = { files: written, monitoring: monitoringOf(servers), urls: urlsOf(servers) };
  const start = isLocal
    ? startHere([...configs.keys()], folder, include)
    : startElsewhere(include ?? MAPPING_FILE);
  output.result(result, () =>
    [...written.map((file) => `wrote ${file}`), ...start, ...next(servers)].join("\n"),
  );
}

function startHere(names: readonly string[], folder: string, include: string | undefined): string[] {
  const start = include === undefined ? "Start each:" : `Copy ${include} into ${folder}, and start each:`;
  return [start, ...names.map((name) => `  nats-server --config ${join(folder, `${name}.conf`)}`)];
}

function startElsewhere(include: string): string[] {
  return [`Copy each file to its server, together with ${include}, and start \`nats-server --config FILE\`.`];
}

function next(servers: readonly PlannedServer[]): string[] {
  return [
    `Name them to hosts and commands: NATS_URL=${urlsOf(servers).join()}`,
    "Let hosts check the servers with these lines in membus.yaml:",
    "cluster:",
    `  monitoring: ${JSON.stringify(monitoringOf(servers))}`,
  ];
}
