import { connect } from "@nats-io/transport-node";

/** Baseline: returns the bytes of every request. */
const connection = await connect({ servers: process.env.NATS_URL! });
connection.subscribe("bench.echo", {
  callback: (_error, message) => {
    message.respond(message.data);
  },
});
await connection.flush();
process.stdout.write("ready\n");
process.once("SIGTERM", () => void connection.close());
