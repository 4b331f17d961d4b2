import { MemoryError } from "@membus/protocol";
import type { Operation } from "@membus/protocol/plugin";

/** Identity of an operation: the same request of the same agent has the same identity. */
export type OperationIdentity = Pick<Operation, "tenant" | "agent" | "id">;

/**
 * Returns one string per operation. Neither a tenant nor an id contains a line break. Uses `join`, because a
 * template makes a string of pieces, and a key that is kept would keep all of them in memory.
 */
export function operationKey({ tenant, agent, id }: OperationIdentity): string {
  return [tenant, agent, id].join("\n");
}

/** Call of one tier's plugin. Its outcome never rejects. */
interface TierCall {
  readonly outcome: Promise<unknown>;
}

interface OperationInFlight {
  readonly type: string;
  readonly digest: string;
  readonly calls: readonly TierCall[];
}

/**
 * Tracks running mutations. A retry joins the calls of its first attempt until the plugins have settled.
 * This also applies after the first attempt was answered with `timeout` (clause RETRY-3).
 */
export class InFlight {
  readonly #operations = new Map<string, OperationInFlight>();

  get count(): number {
    return this.#operations.size;
  }

  /**
   * Returns the calls of `operation`: the running ones, or new ones from `start`.
   * @throws {MemoryError} `conflict` if the id is in use for another request.
   */
  join<T extends TierCall>(type: string, operation: Operation, start: () => readonly T[]): readonly T[] {
    const key = operationKey(operation);
    const underWay = this.#operations.get(key);
    if (underWay === undefined) {
      const calls = start();
      this.#add(key, { type, digest: operation.digest, calls });
      return calls;
    }
    if (underWay.digest !== operation.digest) {
      throw new MemoryError("conflict", "the request id is in use by another running request. Use a new id", {
        path: "id",
      });
    }
    // The digest covers the request type, so the calls are of the same kind.
    return underWay.calls as readonly T[];
  }

  has(type: string, operation: OperationIdentity): boolean {
    return this.#operations.get(operationKey(operation))?.type === type;
  }

  #add(key: string, operation: OperationInFlight): void {
    this.#operations.set(key, operation);
    void this.#deleteWhenSettled(key, operation.calls);
  }

  async #deleteWhenSettled(key: string, calls: readonly TierCall[]): Promise<void> {
    for (const { outcome } of calls) await outcome;
    this.#operations.delete(key);
  }
}
