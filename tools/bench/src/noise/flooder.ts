import { connect } from "@nats-io/transport-node";
import { FLOODS } from "./floods.js";

/** Publishes a flood of requests until it is stopped. It receives replies, but waits for none. */
const [prefix = "", name = ""] = process.argv.slice(2);
const flood = FLOODS[name]!();
const connection = await connect({ servers: process.env.NATS_URL! });
const reply = "_INBOX.flooder";
connection.subscribe(reply, { callback: () => {} });
process.once("SIGTERM", () => process.exit(0));
process.stdout.write("ready\n");
for (let at = 0; ; at++) {
  const { subject, payload } = flood.message(at);
  connection.publish(`${prefix}.default.${subject}`, payload, { reply });
  if (at % flood.flushEvery === 0) await connection.flush();
}
