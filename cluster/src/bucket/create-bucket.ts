import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { storeError } from "./store-error.js";

/** Creates the bucket of a cluster. An existing bucket keeps its settings. Errors as in the bucket. */
export async function createClusterBucket(
  connection: NatsConnection,
  name: string,
  replicas: number,
): Promise<void> {
  try {
    // Reads go to the leader: a replica may not know that a lease has moved.
    await new Kvm(connection).create(name, { history: 1, replicas, allow_direct: false });
  } catch (error) {
    throw storeError(error);
  }
}
