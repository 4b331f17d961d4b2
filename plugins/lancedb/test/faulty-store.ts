import type { Connection, Session, Table } from "@lancedb/lancedb";
import { silentLogger, systemClock } from "@membus/protocol";
import { FolderStore } from "../src/store/folder-store.js";
import type { StoredNames, StoredTable, TableStore } from "../src/store/table-store.js";

/** Steps of a store that can fail. `settle` is one of the store, the others are LanceDB's. */
export const FAULT_POINTS = ["openTable", "add", "delete", "settle"] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number] | "createEmptyTable" | "query";

type Step = (...values: unknown[]) => unknown;

/** Failure of a step, until the store is healed. */
export interface Fault {
  readonly points: readonly FaultPoint[];
  /** Whether the step is done before it fails. */
  readonly afterEffect: boolean;
  readonly error: Error;
}

/** Tables in a folder, over a connection that fails at chosen steps. */
export class FaultyStore implements TableStore {
  readonly remedy = "mend it";
  fault: Fault | undefined;
  readonly #store: FolderStore;

  constructor(directory: string) {
    this.#store = new FolderStore({ directory, clock: systemClock, logger: silentLogger });
  }

  async open(session: Session): Promise<Connection> {
    return this.#faulty(await this.#store.open(session));
  }

  view(): Promise<Connection> {
    return this.#store.view();
  }

  list(): Promise<StoredNames> {
    return this.#store.list();
  }

  table(name: string): StoredTable {
    return this.#faulty<StoredTable>(this.#store.table(name));
  }

  snapshot(directory: string): Promise<void> {
    return this.#store.snapshot(directory);
  }

  #faulty<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? this.#step(target, name, member as Step) : member;
      },
    });
  }

  #step(target: object, name: string | symbol, run: Step) {
    return (...values: unknown[]): unknown => {
      const fault = this.fault;
      if (fault === undefined || !(fault.points as readonly (string | symbol)[]).includes(name))
        return this.#wrap(name, run.apply(target, values));
      // A query is built synchronously.
      if (name === "query") throw fault.error;
      if (!fault.afterEffect) return Promise.reject(fault.error);
      return Promise.resolve(run.apply(target, values)).then(() => Promise.reject(fault.error));
    };
  }

  #wrap(name: string | symbol, result: unknown): unknown {
    if (name !== "openTable") return result;
    return (result as Promise<Table>).then((table) => this.#faulty(table));
  }
}
