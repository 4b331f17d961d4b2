import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rename, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createConnection, createServer } from "node:net";
import { dirname, join } from "node:path";
import { createDirectory, hasListener, readText } from "@membus/disk";
import { z } from "zod";
import type { Config } from "../config/config-schema.js";
import { controlPath } from "../control/control-messages.js";
import { DEFAULT_PORT, localPort } from "../flags/local-server.js";
import { linkNew } from "./link-new.js";
import { userFolders } from "./user-folders.js";

const RecordSchema = z.object({ url: z.string(), data: z.string() });

/** Where the host of a user listens, in a file that only the user may write. */
export type HostRecord = z.infer<typeof RecordSchema>;

/** Returns the host of the user, if it runs. Only the user can serve the control socket in its data folder. */
export async function runningHost(env: NodeJS.ProcessEnv): Promise<HostRecord | undefined> {
  const record = await readHostRecord(env);
  return record !== undefined && (await hasListener(controlPath(record.data))) ? record : undefined;
}

/** Returns the last host of the user. It may have ended. */
export async function readHostRecord(env: NodeJS.ProcessEnv): Promise<HostRecord | undefined> {
  const text = await readText(recordPath(env));
  try {
    return text === undefined ? undefined : RecordSchema.parse(JSON.parse(text));
  } catch {
    // A damaged record is replaced by the next host.
    return undefined;
  }
}

/**
 * Records a host at the default port, or with the data folder of the hooks. Commands without an address connect to
 * it.
 */
export async function recordHost(
  { data, nats }: Pick<Config, "data" | "nats">,
  url: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const isDefault = nats.url === undefined && nats.port === DEFAULT_PORT;
  if (isDefault || data === userFolders(env).data) await writeHostRecord({ url, data }, env);
}

/**
 * Returns the address of the running host of the user, or one with a port that no program uses for a new host. The
 * last address comes first, because MCP servers that run still try it. Of several processes, all get the same address.
 */
export async function reserveHost(data: string, env: NodeJS.ProcessEnv): Promise<HostRecord> {
  const running = await runningHost(env);
  if (running !== undefined) return running;
  const last = await readHostRecord(env);
  const lastPort = last && localPort({ nats: { url: last.url, port: DEFAULT_PORT } });
  const record = { url: `nats://127.0.0.1:${await unusedPort(lastPort ?? DEFAULT_PORT)}`, data };
  await writeHostRecord(record, env, last === undefined ? linkNew : rename);
  return (await readHostRecord(env)) ?? record;
}

async function writeHostRecord(
  record: HostRecord,
  env: NodeJS.ProcessEnv,
  place: (draft: string, path: string) => Promise<void> = rename,
): Promise<void> {
  const path = recordPath(env);
  await createDirectory(dirname(path));
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: "wx" });
    await place(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function recordPath(env: NodeJS.ProcessEnv): string {
  return join(userFolders(env).state, "host.json");
}

/** Returns the preferred port if no program listens there, or else another one. */
async function unusedPort(preferred: number): Promise<number> {
  return (await isUsed(preferred)) ? await freePort() : preferred;
}

/** Connects, because a listening probe would take the port from another process. */
async function isUsed(port: number): Promise<boolean> {
  const socket = createConnection(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
