import { rename, rm } from "node:fs/promises";
import { columnsOf, type Row, type RowSink } from "../../src/index.js";
import { LinesStorage, withFile } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

const turn = () => new Promise(setImmediate);
const PAGE_ROWS = 50;

/** Pages by offset, so removals during a load shift the other rows. */
class LoadsByOffset extends LinesStorage {
  override async load(scope: string, into: RowSink): Promise<void> {
    into.reserve(this.rowsOf(scope).size);
    for (let from = 0; ; from += PAGE_ROWS) {
      const rows = this.newestFirst(scope).slice(from, from + PAGE_ROWS);
      if (rows.length === 0) return;
      into.take(columnsOf(rows, this.place.dimensions));
      for (let at = 0; at < PAGE_ROWS; at++) await turn();
    }
  }

  protected newestFirst(scope: string): Row[] {
    return [...this.rowsOf(scope).values()].sort((a, b) => b.rowId - a.rowId);
  }
}

/** Empties and refills a scope, so a read in between finds fewer rows. */
class RemovesByFilling extends LinesStorage {
  protected override async removeIds(scope: string, ids: readonly number[]): Promise<void> {
    const kept = [...this.rowsOf(scope)].filter(([rowId]) => !ids.includes(rowId));
    await super.removeIds(scope, ids);
    this.rowsOf(scope).clear();
    for (let at = 0; at < PAGE_ROWS; at++) await turn();
    for (const [rowId, row] of kept) this.rowsOf(scope).set(rowId, row);
  }
}

/** Makes a row visible before its body. */
class BodiesLater extends LinesStorage {
  override async append(added: Parameters<LinesStorage["append"]>[0]): Promise<void> {
    for (const { scope, row } of added) this.rowsOf(scope).set(row.rowId, { ...row, body: "" });
    for (let at = 0; at < PAGE_ROWS; at++) await turn();
    await super.append(added);
  }
}

/** Loses writes that happen while maintenance rewrites a scope. */
class RewritesBesideWrites extends LinesStorage {
  override async maintain({ purge }: { readonly purge: boolean }): Promise<boolean> {
    for (const scope of purge ? [...this.spoilt] : []) {
      const rows = [...this.rowsOf(scope).values()];
      for (let at = 0; at < PAGE_ROWS; at++) await turn();
      const text = rows.map((row) => `${JSON.stringify({ scope, row: this.encode(row) })}\n`).join("");
      await withFile(`${this.pathOf(scope)}.new`, "w", (file) => file.writeFile(text));
      await rename(`${this.pathOf(scope)}.new`, this.pathOf(scope));
      this.rows.set(scope, new Map(rows.map((row) => [row.rowId, row])));
    }
    return true;
  }
}

/** Unloads rows while maintenance rewrites them. */
class UnloadsForUpkeep extends LinesStorage {
  protected override async rewrite(scope: string): Promise<void> {
    const rows = [...this.rowsOf(scope)];
    await super.rewrite(scope);
    this.rowsOf(scope).clear();
    for (let at = 0; at < PAGE_ROWS; at++) await turn();
    for (const [rowId, row] of rows) this.rowsOf(scope).set(rowId, row);
  }
}

/** Refuses writes during maintenance. */
class LocksForUpkeep extends LinesStorage {
  #isBusy = false;

  override async maintain(options: { readonly purge: boolean }): Promise<boolean> {
    this.#isBusy = true;
    for (let at = 0; at < PAGE_ROWS; at++) await turn();
    const result = await super.maintain(options);
    this.#isBusy = false;
    return result;
  }

  protected override async write(...args: Parameters<LinesStorage["write"]>): Promise<void> {
    if (this.#isBusy) throw new Error("database is locked");
    await super.write(...args);
  }
}

/** Removes another writer's draft as a leftover. */
class TidiesFiles extends LinesStorage {
  override async maintain(options: { readonly purge: boolean }): Promise<boolean> {
    for (const scope of this.unsynced) await rm(this.pathOf(scope), { force: true });
    return super.maintain(options);
  }
}

export const besideMutants: readonly StorageMutant[] = [
  {
    name: "loads-by-offset",
    check: "beside/reads-beside-writes",
    failure: /loaded during writes/,
    storage: LoadsByOffset,
  },
  {
    name: "removes-by-filling",
    check: "beside/reads-beside-writes",
    failure: /stable rows, loaded during writes/,
    storage: RemovesByFilling,
  },
  {
    name: "bodies-later",
    check: "beside/reads-beside-writes",
    failure: /bodies read during writes/,
    storage: BodiesLater,
  },
  {
    name: "rewrites-beside-writes",
    check: "beside/upkeep-beside-writes",
    failure: /after maintain during writes/,
    storage: RewritesBesideWrites,
  },
  {
    name: "unloads-for-upkeep",
    check: "beside/upkeep-beside-writes",
    failure: /stable rows, loaded during writes|after maintain during writes/,
    storage: UnloadsForUpkeep,
  },
  {
    name: "locks-for-upkeep",
    check: "beside/upkeep-beside-writes",
    failure: /database is locked/,
    storage: LocksForUpkeep,
  },
  {
    name: "tidies-files",
    check: "beside/upkeep-beside-writes",
    failure: /after maintain during writes and reopening/,
    storage: TidiesFiles,
  },
];
