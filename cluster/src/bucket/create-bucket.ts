import { MemoryError } from "@membus/protocol";
import { JetStreamApiError } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { storeError } from "./store-error.js";

/** Codes of JetStream for more replicas than servers, without and with a cluster. */
const TOO_MANY_REPLICAS = new Set([10074, 10005]);

/**
 * Creates the bucket of a cluster. An existing bucket keeps its settings.
 * @throws {MemoryError} `runtime_error` for fewer servers than replicas, else as in the bucket.
 */
export async function createClusterBucket(
  connection: NatsConnection,
  name: string,
  replicas: number,
): Promise<void> {
  try {
    // Reads go to the leader: a replica may not know that a lease has moved.
    await new Kvm(connection).create(name, { history: 1, replicas, allow_direct: false });
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || !TOO_MANY_REPLICAS.has(error.code)) throw storeError(error);
    const message = `there are fewer nats-servers with JetStream than ${replicas} replicas: start more of them`;
    throw new MemoryError("runtime_error", message, { reason: "replicas", replicas }, { cause: error });
  }
}
