import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mappingLines } from "@membus/cluster/routing";
import { MemoryError } from "@membus/protocol";
import type { Session } from "../session.js";
import { monitoringOf, natsServerConfigs } from "./nats-server-config.js";

const STORE_DIR = "/var/lib/nats";
const MAPPING_FILE = "membus-mapping.conf";

export interface ServerConfigOptions {
  readonly servers: readonly string[];
  readonly shardCount: number;
  /** Folder of JetStream's files on each server. */
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
  { servers, shardCount, storeDir = STORE_DIR, output: folder = ".", include }: ServerConfigOptions,
): Promise<void> {
  const configs = natsServerConfigs({ servers, storeDir, include: include ?? MAPPING_FILE });
  const files = new Map([...configs].map(([server, text]) => [`${server}.conf`, text]));
  if (include === undefined) files.set(MAPPING_FILE, `${mappingLines(config.prefix, shardCount)}\n`);
  const written = [...files.keys()].map((name) => join(folder, name));
  const existing = written.find((file) => existsSync(file));
  if (existing !== undefined)
    throw new MemoryError("conflict", `${existing} exists: move it away, or choose another --output`);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text, { flag: "wx" });
  const monitoring = monitoringOf(servers);
  output.result({ files: written, monitoring }, () => explain(written, monitoring, include));
}

function explain(files: readonly string[], monitoring: readonly string[], include: string | undefined) {
  return [
    ...files.map((file) => `wrote ${file}`),
    `Copy each file to its server, together with ${include ?? MAPPING_FILE}, and start \`nats-server --config FILE\`.`,
    "Let hosts check the servers with these lines in membus.yaml:",
    "cluster:",
    `  monitoring: ${JSON.stringify(monitoring)}`,
  ].join("\n");
}
