import { MemoryError, type Operation } from "@membus/protocol";

/** Which operation it is: the same request of the same agent has the same. */
export type OperationIdentity = Pick<Operation, "tenant" | "agent" | "id">;

/**
 * One string per operation: neither a tenant nor an id holds a line break. Joined: a template would make a string of
 * pieces, which as a key that is kept keeps all of them in RAM.
 */
export function operationKey({ tenant, agent, id }: OperationIdentity): string {
  return [tenant, agent, id].join("\n");
}

/** The call of one tier's plugin, which never rejects. */
interface TierCall {
  readonly outcome: Promise<unknown>;
}

interface OperationInFlight {
  readonly type: string;
  readonly digest: string;
  readonly calls: readonly TierCall[];
}

/**
 * The mutations under way. A retry joins the calls of its first attempt instead of making its own, until the plugins
 * have really settled, however long ago the first attempt was answered with `timeout` (clause RETRY-3).
 */
export class InFlight {
  readonly #operations = new Map<string, OperationInFlight>();

  get count(): number {
    return this.#operations.size;
  }

  /**
   * The calls of `operation`: those under way, or new ones from `start`.
   * @throws {MemoryError} `conflict` when the id is in use for another request.
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
      throw new MemoryError("conflict", "the id belongs to another request, which is under way", {
        path: "id",
      });
    }
    // The digest covers the type of the request, so these are the same kind of calls.
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
