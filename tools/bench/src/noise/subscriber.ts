import { connect } from "@nats-io/transport-node";

/**
 * Control: receives the same messages as a host and answers one agent. Its prefix is another one, so
 * that a host can run beside it.
 */
const [prefix = "", agent = ""] = process.argv.slice(2);
const connection = await connect({ servers: process.env.NATS_URL! });
const own = `${prefix}.default.${agent}.`;
connection.subscribe(`${prefix}.*.*.memory.*.req`, {
  callback: (_error, message) => {
    if (message.subject.startsWith(own)) message.respond(message.data);
  },
});
await connection.flush();
process.stdout.write("ready\n");
process.once("SIGTERM", () => void connection.close());
