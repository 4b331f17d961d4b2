import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNatsBus } from "@membus/bus";
import type { HostOfPlugin, HostParts, PluginUnderTest, StartedHost } from "@membus/conformance";
import { createStaticEmbedder } from "@membus/embeddings";
import { createHost } from "@membus/host";
import { ensureNatsServer, launchNatsServer } from "@membus/nats-server";
import { type MemoryTier, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { createLogger } from "../logger.js";
import { startHostProcess } from "./start-host-process.js";

const TENANTS = ["default", "other"];
const EVERYTHING = ["read", "write", "forget"] as const;

/** Starts a nats-server and a host process with the plugin. The host can be killed and restarted. */
export async function launchPluginHost(
  plugin: PluginUnderTest & { readonly tier: MemoryTier },
): Promise<HostOfPlugin> {
  const { tier, nodeArguments = [] } = plugin;
  const note = (line: string) => void process.stderr.write(`${line}\n`);
  const explicitPath = process.env.MEMBUS_NATS_SERVER || undefined;
  const binary = await ensureNatsServer({
    env: process.env,
    onStep: note,
    ...(explicitPath && { explicitPath }),
  });
  const logger = createLogger("error");
  const data = await mkdtemp(join(tmpdir(), "membus-conformance-"));
  const server = await launchNatsServer({ binary: binary.path });
  const bus = await connectNatsBus({ servers: server.url }, { logger, clock: systemClock });
  const start = () =>
    startHostProcess({ module: plugin.module!, tier, url: server.url, data, nodeArguments });
  let host = await start();
  const restart = async () => {
    await host.kill();
    host = await start();
  };
  const stop = async () => {
    await host.kill();
    await bus.close();
    await server.stop();
    await rm(data, { recursive: true, force: true });
  };
  const startHost = (parts: HostParts) => startLocalHost(bus, plugin, tier, parts);
  const name = `${plugin.name} in a host`;
  return { implementation: { name, bus, servers: server.url, tenants: TENANTS, restart, startHost }, stop };
}

/** Starts a host in this process, for plugins of the suite. */
async function startLocalHost(
  bus: Bus,
  plugin: PluginUnderTest,
  tier: MemoryTier,
  { prefix, tenants, inFlightCountMax, allowed, ...parts }: HostParts,
): Promise<StartedHost> {
  const folder = await mkdtemp(join(tmpdir(), "membus-conformance-"));
  const host = createHost(
    {
      bus,
      plugins: { [tier]: await plugin.createPlugin() },
      embedder: createStaticEmbedder(),
      dataDirectories: { [tier]: folder },
      logger: createLogger("silent"),
      ...parts,
    },
    {
      prefix,
      ...(tenants && { tenants }),
      ...(inFlightCountMax && { inFlightCountMax }),
      ...(allowed && { rules: allowed.map((one) => ({ ...one, allow: EVERYTHING })) }),
    },
  );
  await host.start();
  const stop = async () => {
    await host.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { stop };
}
