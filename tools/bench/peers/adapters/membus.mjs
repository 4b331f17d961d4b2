import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** membus in normal use: `membus up` in a separate process, a client over NATS, and durable stores. */
export const packages = [];

export async function open() {
  const fromRoot = (path) => import(pathToFileURL(join(process.env.MEMBUS_ROOT, path)).href);
  const { MemoryClient } = await fromRoot("agent-client/dist/index.js");
  const { openEnvironment } = await fromRoot("tools/bench/dist/harness/environment.js");
  const environment = await openEnvironment();
  await environment.startHost({ name: "peers" });
  const client = await MemoryClient.connect({ servers: environment.url, agent: "bench" });
  return {
    store: (id, content) => client.store({ key: { id }, content, tier: "episodic" }),
    search: (query, limit) => client.retrieve({ query, tier: "episodic", limit }),
    async close() {
      await client.close();
      await environment.close();
    },
  };
}
