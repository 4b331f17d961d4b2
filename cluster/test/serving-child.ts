import { TableBucket } from "@membus/plugin-lancedb/s3";
import { systemClock } from "@membus/protocol";
import { connect } from "@nats-io/transport-node";
import { ClusterBucket } from "../src/index.js";
import { ServingHost } from "./serving-host.js";

/** Serves shards of a cluster, and answers each message of its parent with the number of shards. Ends with its parent. */
const [servers = "", cluster = "", name = "", endpoint = ""] = process.argv.slice(2);
const settings = { maxReconnectAttempts: -1, reconnectTimeWait: 50, reconnectJitter: 0 };
const connection = await connect({ servers: servers.split(","), ...settings });
const bucket = await ClusterBucket.open(connection, { name: cluster, requestTimeoutMs: 1_000 });
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const tables = await TableBucket.open(
  { bucket: "bucket", prefix: "tables", endpoint, ...credentials },
  systemClock,
);
const host = await ServingHost.start({ name, leaseMs: 3_000, cluster, connection, bucket, tables });

process.on("message", () => void process.send!(host.shardCount));
process.on("disconnect", () => process.exit());
