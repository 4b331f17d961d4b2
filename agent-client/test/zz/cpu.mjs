import { MemoryClient } from "@membus/agent-client";
const enc = new TextEncoder();
const headers = {};
const bus = { maxPayloadBytes: 1048576, inboxPrefix: "_INBOX", state: "connected", async request(subject, payload) { const t = Buffer.from(payload.buffer, payload.byteOffset, 120).toString("latin1"); const at = t.indexOf('"id":"') + 6; const id = t.slice(at, at + 36);
  return { subject, headers, payload: enc.encode(`{"type":"memory/store/resp","id":"${id}","version":"1.0","ts":1790000000.123,"req_id":"${id}","stored":[{"id":"fact1"}],"errors":[],"receipts":[{"index":0,"key_hash":"${"a".repeat(64)}","outcome":"created","revision":1234567890123456}]}`) }; } };
const client = await MemoryClient.connect({ bus, agent: "alice" });
const entry = { key: { id: "fact1", kind: "note" }, content: { text: "Earth orbits the Sun, and the moon orbits Earth. ".repeat(4), step: 3, list: [1,2,3] }, tags: ["a","b"], metadata: { lang: "en", n: 4 } };
for (const n of [50000, 200000]) { const c = process.cpuUsage(); let left = n; await Promise.all(Array.from({ length: 64 }, async () => { while (left-- > 0) await client.store(entry); })); const d = process.cpuUsage(c); console.log(((d.user + d.system) / n).toFixed(2), "us per store, CPU, stub bus"); }
