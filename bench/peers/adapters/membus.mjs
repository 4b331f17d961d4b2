import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** membus as it is used: `membus up` as a process of its own, a client over NATS, entries on disk before the answer. */
export const packages = [];

export async function open({ directory }) {
  const root = process.env.MEMBUS_ROOT;
  const { MemoryClient } = await import(pathToFileURL(join(root, "agent-client/dist/index.js")).href);
  const port = String(await freePort());
  const args = [
    join(root, "cli/dist/main.js"),
    "up",
    "--port",
    port,
    "--data",
    join(directory, "data"),
    "--json",
  ];
  const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(host.stdout, "data");
  const client = await MemoryClient.connect({ servers: urlOf(line.toString()), agent: "bench" });
  return {
    store: (id, content) => client.store({ key: { id }, content, tier: "episodic" }),
    search: (query, limit) => client.retrieve({ query, tier: "episodic", limit }),
    async close() {
      await client.close();
      host.kill("SIGTERM");
      await once(host, "exit");
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

function urlOf(output) {
  const url = /nats:\/\/[^\s"]+/.exec(output)?.[0];
  if (url === undefined) throw new Error(`membus up printed no address: ${output}`);
  return url;
}
