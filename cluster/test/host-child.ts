import { monotonicClock, silentLogger } from "@membus/protocol";
import { connect } from "@nats-io/transport-node";
import { ClusterBucket, ShardOwnership } from "../src/index.js";

/** Owns the one shard of a cluster, and sends its parent the events. Ends with its parent. */
const [url = "", name = "", host = ""] = process.argv.slice(2);
const connection = await connect({ servers: url, maxReconnectAttempts: -1 });
const bucket = await ClusterBucket.open(connection, { name, requestTimeoutMs: 400 });

const send = (event: string) => process.send!(event);
const ownership = new ShardOwnership(
  { host, shardCount: 1, leaseMs: 5_000, pollMs: 50 },
  { bucket, clock: monotonicClock, logger: silentLogger },
  {
    onAcquired: (_, epoch) => void send(`acquired ${epoch}`),
    onLost: (_, epoch) => void send(`lost ${epoch}`),
    handOver: async (_, epoch) => void send(`handed over ${epoch}`),
  },
);

process.on("message", () => void send(`owns ${ownership.epochOf(0) ?? "nothing"}`));
process.on("disconnect", () => process.exit());
