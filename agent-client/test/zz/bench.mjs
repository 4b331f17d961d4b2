import { MemoryClient } from "@membus/agent-client";
import { connectNatsBus } from "@membus/bus";
import { systemClock } from "@membus/protocol";
import { connect } from "@nats-io/transport-node";
const url = process.argv[2];
const silent = { debug() {
}, info() {
}, warn() {
}, error() {
} };
const bus = await connectNatsBus({ servers: url }, { clock: systemClock, logger: silent });
const nc = await connect({ servers: url });
const client = await MemoryClient.connect({ bus, agent: "alice" });
const entry = { key: { id: "fact1", kind: "note" }, content: { text: "Earth orbits the Sun, and the moon orbits Earth. ".repeat(4), step: 3, list: [1, 2, 3] }, tags: ["a", "b"], metadata: { lang: "en", n: 4 } };
const bytes = new TextEncoder().encode(JSON.stringify({ type: "memory/store/req", id: "0".repeat(36), version: "1.0", deadline_ms: 5e3, namespace: "default", entries: [entry] }));
async function run(name, op) {
  for (const [conc, n] of [[64, 4e4], [1, 4e3]]) {
    const go = async (n2) => {
      let left = n2;
      await Promise.all(Array.from({ length: conc }, async () => {
        while (left-- > 0) await op();
      }));
    };
    await go(n / 4);
    const cpu = process.cpuUsage();
    const t = performance.now();
    await go(n);
    const ms = performance.now() - t;
    const c = process.cpuUsage(cpu);
    console.log(name.padEnd(14), `x${conc}`.padEnd(4), (n / ms * 1e3).toFixed(0).padStart(7), "/s  client CPU", ((c.user + c.system) / n).toFixed(1), "us");
  }
}
for (let i = 0; i < 2; i++) {
  await run("nats request", () => nc.request("echo", bytes, { timeout: 5e3 }));
  await run("bus request", () => bus.request("echo", bytes, { timeoutMs: 5e3 }));
  await run("client.store", () => client.store(entry));
  await run("store opts", () => client.store(entry, { ack: "stored" }));
}
await bus.close();
await nc.close();
