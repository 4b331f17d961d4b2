// The process started by `startHostProcess`. Its arguments are module, tier, server and data folder.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { connectNatsBus } from "@membus/bus";
import { createStaticEmbedder } from "@membus/embeddings";
import { createHost } from "@membus/host";
import { systemClock } from "@membus/protocol";
import { loadPluginModule } from "@membus/protocol/plugin";
import { createLogger } from "../logger.js";

const [module, tier, servers, data] = process.argv.slice(2) as [string, string, string, string];
const { createPlugin } = await loadPluginModule(module);
const logger = createLogger("error");
const directory = join(data, tier);
await mkdir(directory, { recursive: true });
const bus = await connectNatsBus({ servers }, { logger, clock: systemClock });
const host = createHost({
  bus,
  plugins: { [tier]: await createPlugin() },
  embedder: createStaticEmbedder(),
  dataDirectories: { [tier]: directory },
  logger,
});
await host.start();
process.stdout.write("serving\n");
