import { connect } from "@nats-io/transport-node";

/** The raw limit: answers every request with its own bytes. */
const connection = await connect({ servers: process.env.NATS_URL! });
connection.subscribe("bench.echo", {
  callback: (_error, message) => {
    message.respond(message.data);
  },
});
await connection.flush();
process.stdout.write("ready\n");
process.once("SIGTERM", () => void connection.close());
