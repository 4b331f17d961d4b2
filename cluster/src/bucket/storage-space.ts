import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { storeError } from "./store-error.js";

/** Storage of JetStream that has a limit. */
export interface StorageSpace {
  /** Bytes in use. */
  readonly usedBytes: number;
  /** Limit, in bytes. */
  readonly maxBytes: number;
  /** The account or server with the limit, for messages. */
  readonly owner: string;
}

/** Replicas of a stream, and the time limit of the request in milliseconds. */
export interface AccountSpaceOptions {
  readonly replicas: number;
  readonly requestTimeoutMs: number;
}

/**
 * Returns the storage of the connection's account for streams with this number of replicas. Undefined without a limit.
 * @throws {MemoryError} `unavailable` if the servers do not answer.
 */
export async function accountSpace(
  connection: NatsConnection,
  { replicas, requestTimeoutMs }: AccountSpaceOptions,
): Promise<StorageSpace | undefined> {
  try {
    const manager = await jetstream(connection, { timeout: requestTimeoutMs }).jetstreamManager(false);
    const account = await manager.getAccountInfo();
    // An account may have a limit for each number of replicas.
    const tiers: Readonly<Record<string, Pick<typeof account, "storage" | "limits">>> = account.tiers ?? {};
    const { storage, limits } = tiers[`R${replicas}`] ?? account;
    if (limits.max_storage <= 0) return undefined;
    return { usedBytes: storage, maxBytes: limits.max_storage, owner: "the account" };
  } catch (error) {
    throw storeError(error);
  }
}
