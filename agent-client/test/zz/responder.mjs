import { connect } from "@nats-io/transport-node";
const nc = await connect({ servers: process.argv[2] });
const tail = `,"stored":[{"id":"fact1"}],"errors":[],"receipts":[{"index":0,"key_hash":"${"a".repeat(64)}","outcome":"created","revision":1234567890123456}]}`;
nc.subscribe("a2e.*.*.memory.*.req", { queue: "membus", callback: (_e, m) => {
  const text = m.string();
  const at = text.indexOf('"id":"') + 6;
  const id = text.slice(at, text.indexOf('"', at));
  m.respond(`{"type":"memory/store/resp","id":"${id}","version":"1.0","ts":1790000000.123,"req_id":"${id}"${tail}`);
} });
nc.subscribe("echo", { callback: (_e, m) => m.respond(m.data) });
await nc.flush();
process.send?.("ready");
console.log("ready");
