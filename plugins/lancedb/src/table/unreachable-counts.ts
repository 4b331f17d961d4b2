import { isMemoryError } from "@membus/protocol";
import { isUnreachable } from "../store/unreachable.js";

type Kind = "reads" | "writes";

/** Counts reads and writes of tables that failed because their store could not be reached. */
export class UnreachableCounts {
  readonly #counts: Record<Kind, number> = { reads: 0, writes: 0 };

  get stats(): Readonly<Record<`unreachable_${Kind}`, number>> {
    return { unreachable_reads: this.#counts.reads, unreachable_writes: this.#counts.writes };
  }

  /** Returns the result of a task. Errors as in the task. */
  async of<T>(kind: Kind, task: Promise<T>): Promise<T> {
    try {
      return await task;
    } catch (error) {
      if (isOutage(error)) this.#counts[kind]++;
      throw error;
    }
  }
}

/** A table that belongs to another process is no outage. */
function isOutage(error: unknown): boolean {
  return isMemoryError(error) ? error.detail.reason === "storage_unreachable" : isUnreachable(error);
}
