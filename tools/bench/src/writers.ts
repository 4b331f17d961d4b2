import { MemoryClient } from "@membus/agent-client";
import { sampleEntries } from "./harness/dataset.js";
import { runLoad } from "./harness/load.js";

const IN_FLIGHT = 64;
const BATCH = 10_000;

/** Stores single entries for one agent, 64 in flight, until it is stopped. */
const [agent = "", run = ""] = process.argv.slice(2);
const client = await MemoryClient.connect({ servers: process.env.NATS_URL!, agent });
const entries = sampleEntries(BATCH, 3);
process.once("SIGTERM", () => process.exit(0));
process.stdout.write("ready\n");
for (let round = 0; ; round++) {
  await runLoad(BATCH, IN_FLIGHT, (index) =>
    client.store({ key: { run, round, index }, content: entries[index]!.content, tier: "episodic" }),
  );
}
