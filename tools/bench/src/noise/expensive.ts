import { MemoryClient } from "@membus/agent-client";
import { sampleEntries } from "../harness/dataset.js";
import { beginAttack } from "./begin-attack.js";

const IN_FLIGHT = 64;
const ENTRIES = 40_000;
const BATCH = 1_000;

/** Expensive requests. They change nothing. */
const OPERATIONS: Readonly<Record<string, (client: MemoryClient) => Promise<unknown>>> = {
  retrieves: (client) =>
    client.retrieve({
      query: "which lake did the blue otter cross",
      tier: "episodic",
      limit: 100,
      diversity: 0.7,
      explain: true,
      expand: { before: 3, after: 3 },
    }),
  forgets: (client) =>
    client.forget({ tier: "episodic", where: { field: "metadata.missing", op: "eq", value: "x" } }),
};

/** Fills the memory of an agent, then repeats an operation until it is stopped, 64 at once. */
const [name = ""] = process.argv.slice(2);
const client = await MemoryClient.connect({ servers: process.env.NATS_URL!, agent: "expensive" });
const entries = sampleEntries(ENTRIES, 7);
for (let at = 0; at < ENTRIES; at += BATCH) {
  const batch = entries
    .slice(at, at + BATCH)
    .map(({ key, content }) => ({ key, content, tier: "episodic" as const }));
  await client.store(batch);
}
beginAttack();
const lane = async () => {
  for (;;) await OPERATIONS[name]!(client);
};
await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
