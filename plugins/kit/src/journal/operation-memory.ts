import { MemoryError, type Operation } from "@membus/protocol";
import { Fifo } from "./queues.js";
import type { OperationResult } from "./record.js";

export interface OperationMemoryOptions {
  /** Seconds. */
  readonly windowS: number;
  readonly countMax: number;
  /** Of operations whose results are kept in RAM. */
  readonly bytesMax: number;
}

/** Where the reply of an operation is: in the log under a sequence number, or here. */
export type ResultPlace = { readonly seq: number } | { readonly result: OperationResult };

export interface RememberedOperation {
  readonly digest: string;
  readonly at: number;
  readonly sizeBytes: number;
  readonly place: ResultPlace;
  /** False while a forget in slices has more to do. */
  readonly done: boolean;
}

export type OperationId = Pick<Operation, "tenant" | "agent" | "id">;

/** Which operations were done, and where their replies are, for a window of time (clause RETRY-1). */
export class OperationMemory {
  readonly #remembered = new Map<string, RememberedOperation>();
  /** The same in order of time: a Map that loses its first entries walks over their places at every look. */
  readonly #order = new Fifo<RememberedOperation & { readonly key: string }>();
  #sizeBytes = 0;

  constructor(readonly options: OperationMemoryOptions) {}

  /** @throws {MemoryError} `conflict` when the id was used for another request. */
  find(op: OperationId & { readonly digest: string }): RememberedOperation | undefined {
    const found = this.findById(op);
    if (found !== undefined && found.digest !== op.digest) throw idConflict(op);
    return found;
  }

  findById(op: OperationId): RememberedOperation | undefined {
    return this.#remembered.get(operationKey(op));
  }

  remember(op: OperationId & { digest: string }, at: number, place: ResultPlace, done = true): void {
    const key = operationKey(op);
    const earlier = this.#remembered.get(key);
    // A reply that was moved on in the log stands behind later ones of its operation.
    if (earlier?.done && !done && earlier.digest === op.digest) return;
    const sizeBytes = "result" in place ? resultBytes(place.result) : 0;
    const operation = { key, digest: op.digest, at, place, done, sizeBytes };
    this.#sizeBytes += sizeBytes - (earlier?.sizeBytes ?? 0);
    this.#remembered.set(key, operation);
    this.#order.push(operation);
    this.#trim(at);
  }

  /** The oldest sequence number that a remembered reply is read from. */
  oldestSeq(now: number): number {
    this.#trim(now);
    for (const operation of this.#order) {
      if (this.#remembered.get(operation.key) === operation && "seq" in operation.place)
        return operation.place.seq;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** The records before this one that remembered replies are read from, oldest first. */
  seqsBefore(before: number, now: number): number[] {
    this.#trim(now);
    const places = [...this.#remembered.values()].map(({ place }) => place);
    const seqs = places.flatMap((place) => ("seq" in place && place.seq < before ? [place.seq] : []));
    return seqs.sort((a, b) => a - b);
  }

  /** How many are an agent's, or without `agent` a tenant's; with `forget` none any more. */
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

  #trim(now: number): void {
    const { windowS, countMax, bytesMax } = this.options;
    for (let first = this.#order.first; first !== undefined; first = this.#order.first) {
      if (this.#remembered.get(first.key) === first) {
        const within = this.#remembered.size <= countMax && this.#sizeBytes <= bytesMax;
        if (within && first.at >= now - windowS) return;
        this.#sizeBytes -= first.sizeBytes;
        this.#remembered.delete(first.key);
      }
      this.#order.shift();
    }
  }
}

export function idConflict({ id }: OperationId): MemoryError {
  return new MemoryError("conflict", "this id was used for another request", { id });
}

/** Roughly: the objects weigh more than their texts. */
function resultBytes({ receipts = [], errors = [] }: OperationResult): number {
  return 400 + 250 * receipts.length + 400 * errors.length;
}

/**
 * One string per operation: neither a tenant nor the length of an agent's name holds a space. Joined: a template would
 * make a string of pieces, which as a key keeps all of them in RAM.
 */
export function operationKey({ tenant, agent, id }: OperationId): string {
  return [tenant, agent.length, agent, id].join(" ");
}
