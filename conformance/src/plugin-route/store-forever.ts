// The process that `killWhileStoring` starts and kills: module, directory and tier are its arguments.
import { randomUUID } from "node:crypto";
import { type MemoryPlugin, type MemoryTier, scopeOf, systemClock } from "@membus/protocol";
import { silentLogger } from "../silent-logger.js";
import { wordEmbedder } from "../word-embedder.js";
import { compileStore } from "./compile-request.js";
import { killEntry } from "./kill-while-storing.js";
import { PLUGIN_NAMES, PLUGIN_NAMESPACE } from "./names.js";
import { loadPluginModule } from "./plugin-module.js";

const IN_FLIGHT = 8;

const [module, dataDirectory, tier, embedder] = process.argv.slice(2) as [string, string, MemoryTier, string];
const { createPlugin } = await loadPluginModule(module);
const plugin: MemoryPlugin = await createPlugin();
const services = { tier, clock: systemClock, logger: silentLogger, dataDirectory, notify() {} };
await plugin.open?.(embedder === "none" ? services : { ...services, embedder: wordEmbedder });

let next = 0;
await Promise.all(Array.from({ length: IN_FLIGHT }, storeOneByOne));

async function storeOneByOne(): Promise<never> {
  for (;;) {
    const number = next++;
    const caller = { tenant: PLUGIN_NAMES.tenants.first, agent: PLUGIN_NAMES.agents.first, session: "" };
    const message = { type: "memory/store/req", id: randomUUID(), entries: [killEntry(number, tier)] };
    const accepted = { tenant: caller.tenant, agent: caller.agent, accepted_at: systemClock.now() };
    const request = compileStore(message, tier, accepted);
    const { errors } = await plugin.onStore(scopeOf(tier, caller, PLUGIN_NAMESPACE), request);
    if (errors.length === 0) process.stdout.write(`${number}\n`);
  }
}
