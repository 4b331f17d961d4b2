import { MemoryError } from "@membus/protocol";
import type { Operation } from "@membus/protocol/plugin";
import { Fifo } from "./queues.js";
import type { OperationResult } from "./record.js";

export interface OperationMemoryOptions {
  /** Seconds. */
  readonly windowS: number;
  readonly countMax: number;
  /** Limit of the results that are kept in RAM. */
  readonly bytesMax: number;
}

/** Place of an operation's reply: a record of the log, or RAM. */
export type ResultPlace = { readonly seq: number } | { readonly result: OperationResult };

export interface RememberedOperation {
  readonly digest: string;
  /** Acceptance by the clock of the host that accepted it. Unix seconds. */
  readonly at: number;
  readonly sizeBytes: number;
  readonly place: ResultPlace;
  /** False while a forget in slices is incomplete. */
  readonly done: boolean;
  /** Begin of its time window. Unix seconds by the clock of this host. While the log is read, seconds since its first record. */
  since: number;
  /** Whether a purge has erased its bytes. False again after the tier is opened. */
  isPurged: boolean;
}

export type OperationId = Pick<Operation, "tenant" | "agent" | "id">;

/** Remembers operations and the places of their replies for a time window (clause RETRY-1). */
export class OperationMemory {
  readonly #remembered = new Map<string, RememberedOperation>();
  /**
   * The operations in order of time. A Map that loses its first entries iterates over their empty places at
   * every lookup.
   */
  readonly #order = new Fifo<RememberedOperation & { readonly key: string }>();
  #sizeBytes = 0;

  constructor(readonly options: OperationMemoryOptions) {}

  /** @throws {MemoryError} `conflict` if the id was used for another request. */
  find(op: OperationId & { readonly digest: string }): RememberedOperation | undefined {
    const found = this.findById(op);
    if (found !== undefined && found.digest !== op.digest) throw idConflict(op);
    return found;
  }

  findById(op: OperationId): RememberedOperation | undefined {
    return this.#remembered.get(operationKey(op));
  }

  /** @param since see `RememberedOperation`. */
  remember(
    op: OperationId & { digest: string },
    at: number,
    place: ResultPlace,
    done = true,
    since = at,
  ): void {
    const key = operationKey(op);
    const earlier = this.#remembered.get(key);
    const sizeBytes = "result" in place ? resultBytes(place.result) : 0;
    const isPurged = earlier?.isPurged ?? false;
    const operation = { key, digest: op.digest, at, since, place, done, sizeBytes, isPurged };
    this.#sizeBytes += sizeBytes - (earlier?.sizeBytes ?? 0);
    this.#remembered.set(key, operation);
    this.#order.push(operation);
    this.#trim(since);
  }

  /** Records that a purge has erased the bytes of an operation. */
  markPurged(op: OperationId): void {
    const found = this.findById(op);
    if (found !== undefined) found.isPurged = true;
  }

  /** Moves the time windows of all operations. */
  shift(seconds: number): void {
    for (const operation of this.#order) operation.since += seconds;
  }

  /** Returns the oldest record that a remembered reply is read from. */
  oldestSeq(now: number): number {
    this.#trim(now);
    for (const operation of this.#order) {
      if (this.#remembered.get(operation.key) === operation && "seq" in operation.place)
        return operation.place.seq;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** Returns the records before this one that remembered replies are read from, oldest first. */
  seqsBefore(before: number, now: number): number[] {
    this.#dropExpired(now);
    const places = [...this.#remembered.values()].map(({ place }) => place);
    const seqs = places.flatMap((place) => ("seq" in place && place.seq < before ? [place.seq] : []));
    return seqs.sort((a, b) => a - b);
  }

  /** Counts the operations of an agent, or without `agent` of a tenant. With `forget` they are removed. */
  ofOwner(
    { tenant, agent }: { readonly tenant: string; readonly agent?: string },
    { forget }: { readonly forget: boolean },
  ): number {
    const prefix = agent === undefined ? `${tenant} ` : operationKey({ tenant, agent, id: "" });
    const owned = [...this.#remembered].filter(([key]) => key.startsWith(prefix));
    if (!forget) return owned.length;
    for (const [key, { sizeBytes }] of owned) {
      this.#remembered.delete(key);
      this.#sizeBytes -= sizeBytes;
    }
    return owned.length;
  }

  get stats(): { operations: number; operation_bytes: number } {
    return { operations: this.#remembered.size, operation_bytes: this.#sizeBytes };
  }

  /** Replies that were logged again are behind later ones in the order. */
  #dropExpired(now: number): void {
    for (const [key, { since, sizeBytes }] of this.#remembered) {
      if (since >= now - this.options.windowS) continue;
      this.#remembered.delete(key);
      this.#sizeBytes -= sizeBytes;
    }
  }

  #trim(now: number): void {
    const { windowS, countMax, bytesMax } = this.options;
    for (let first = this.#order.first; first !== undefined; first = this.#order.first) {
      if (this.#remembered.get(first.key) === first) {
        const within = this.#remembered.size <= countMax && this.#sizeBytes <= bytesMax;
        if (within && first.since >= now - windowS) return;
        this.#sizeBytes -= first.sizeBytes;
        this.#remembered.delete(first.key);
      }
      this.#order.shift();
    }
  }
}

export function idConflict({ id }: OperationId): MemoryError {
  return new MemoryError("conflict", "the operation id was already used for another request, use a new id", {
    id,
  });
}

/** Returns an approximate size. The objects take more memory than their texts. */
function resultBytes({ receipts = [], errors = [] }: OperationResult): number {
  return 400 + 250 * receipts.length + 400 * errors.length;
}

/**
 * Returns a unique key of an operation. Neither a tenant nor the length of an agent's name contains a space.
 * The parts are joined, because a template literal creates a rope string that keeps all pieces in RAM.
 */
export function operationKey({ tenant, agent, id }: OperationId): string {
  return [tenant, agent.length, agent, id].join(" ");
}
