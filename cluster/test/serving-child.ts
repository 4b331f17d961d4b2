import { TableBucket } from "@membus/plugin-lancedb/s3";
import { systemClock } from "@membus/protocol";
import { connect } from "@nats-io/transport-node";
import { ClusterBucket } from "../src/index.js";
import { ServingHost, type ServingParts } from "./serving-host.js";

export interface ServingChildOptions
  extends Pick<ServingParts, "name" | "cluster" | "leaseMs" | "flushIdleMs" | "eraseWithinS"> {
  readonly servers: readonly string[];
  /** URL of the object store. */
  readonly endpoint: string;
  /** See the option of logs. */
  readonly segmentS?: number;
}

/** Serves shards of a cluster, and answers each message of its parent with the number of shards. Ends with its parent. */
const { servers, endpoint, segmentS, ...own } = JSON.parse(process.argv[2]!) as ServingChildOptions;
const { cluster } = own;
const settings = { maxReconnectAttempts: -1, reconnectTimeWait: 50, reconnectJitter: 0 };
const connection = await connect({ servers: [...servers], ignoreClusterUpdates: true, ...settings });
const bucket = await ClusterBucket.open(connection, { name: cluster, requestTimeoutMs: 1_000 });
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const tables = TableBucket.connect(
  { bucket: "bucket", prefix: "tables", endpoint, ...credentials },
  systemClock,
);
const log = segmentS === undefined ? {} : { log: { segmentS } };
const host = await ServingHost.start({ ...own, ...log, connection, bucket, tables });

process.on("message", () => void process.send!(host.shardCount));
process.on("disconnect", () => process.exit());
