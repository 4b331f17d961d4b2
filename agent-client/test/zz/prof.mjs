import { MemoryClient } from "@membus/agent-client";
const url = process.argv[2];
const client = await MemoryClient.connect({ servers: url, agent: "alice" });
const entry = { key: { id: "fact1", kind: "note" }, content: { text: "Earth orbits the Sun, and the moon orbits Earth. ".repeat(4), step: 3, list: [1, 2, 3] }, tags: ["a", "b"], metadata: { lang: "en", n: 4 } };
let left = 15e4;
await Promise.all(Array.from({ length: 64 }, async () => {
  while (left-- > 0) await client.store(entry);
}));
await client.close();
