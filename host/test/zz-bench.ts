import { createHost } from "../src/index.js";
import { keyHash, encodeMessage, type Bus, type BusMessage } from "@membus/protocol";
import { MapPlugin } from "./map-plugin.js";
let onMessage!: (m: BusMessage) => void; let answered = 0; let last: Uint8Array; let wake: (() => void) | undefined;
const bus: Bus = {
  maxPayloadBytes: 1 << 20, inboxPrefix: "_INBOX", state: "connected",
  publish(subject, payload) { if (subject.startsWith("_INBOX")) { answered++; last = payload; if (answered % 64 === 0) wake?.(); } },
  subscribe(subject, f) { if (subject.includes("memory")) onMessage = f as never; return { async drain() {} }; },
  async request() { throw 1; }, async requestMany() { return []; }, onState() { return () => {}; }, async flush() {}, async close() {},
};
const plugin = new MapPlugin();
let rev = 0;
(plugin as any).onStore = async (_s: any, { entries }: any) => ({ receipts: entries.map((e: any) => ({ index: e.index, key_hash: e.key_hash, outcome: "created", revision: ++rev })), errors: [] });
const host = createHost({ bus, plugins: { working: plugin } }, { discoveryWaitMs: 10, events: process.argv[2] !== "noevents" });
await host.start();
const N = 200000;
const messages: Uint8Array[] = [];
for (let i = 0; i < 4096; i++) messages.push(encodeMessage({ type: "memory/store/req", id: `0190b0b0-1111-7111-8111-${i}`, version: "1.0", ts: 1.5, session_id: "s1", entries: [{ key: { id: "task" + i }, content: { step: 3, text: "hello world this is some text of ordinary length for a memory entry" }, tier: "working", tags: ["a", "b"] }] }, "json"));
async function run(n: number) {
  for (let i = 0; i < n; i += 64) {
    const done = new Promise<void>((r) => (wake = r));
    for (let j = 0; j < 64; j++) onMessage({ subject: "a2e.default.alice.memory.store.req", reply: "_INBOX.x", headers: { "Content-Type": "application/json" }, payload: messages[(i + j) % 4096]! });
    await done;
  }
}
await run(20480);
const c = process.cpuUsage(); const t = performance.now();
await run(N - (N % 64));
const u = process.cpuUsage(c);
console.log("us/req wall", ((performance.now() - t) * 1000 / N).toFixed(2), "cpu", ((u.user + u.system) / N).toFixed(2));
console.log(Buffer.from(last!).toString());
process.exit(0);
