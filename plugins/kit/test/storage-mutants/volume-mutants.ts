import { columnsOf, type GenerationIds, type Outdated, type RowSink, type RowSize } from "../../src/index.js";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

/** A usual default limit of database queries. */
const LIMIT = 1_000;
/** A usual limit of values per statement. */
const VALUES = 999;

class LoadsAPage extends LinesStorage {
  override async load(scope: string, into: RowSink): Promise<void> {
    const rows = [...this.rowsOf(scope).values()].slice(0, LIMIT);
    into.reserve(rows.length);
    into.take(columnsOf(rows, this.place.dimensions));
  }
}

class LoadsWholePages extends LinesStorage {
  override async load(scope: string, into: RowSink): Promise<void> {
    const rows = [...this.rowsOf(scope).values()];
    into.reserve(rows.length);
    for (let from = 0; from < rows.length; from += LIMIT) {
      into.take(columnsOf(rows.slice(from, from + LIMIT + 1), this.place.dimensions));
    }
  }
}

class ReadsSoManyBodies extends LinesStorage {
  override readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return super.readBodies(scope, rowIds.slice(0, VALUES));
  }
}

class RemovesSoMany extends LinesStorage {
  protected override removeIds(scope: string, ids: readonly number[]): Promise<void> {
    return super.removeIds(scope, ids.slice(0, VALUES));
  }
}

class RemovesARange extends LinesStorage {
  protected override removeIds(scope: string, ids: readonly number[]): Promise<void> {
    if (ids.length <= VALUES) return super.removeIds(scope, ids);
    const [from, to] = [ids[0]!, ids.at(-1)!];
    const meant = [...this.rowsOf(scope).keys()].filter((rowId) => rowId >= from && rowId <= to);
    return super.removeIds(scope, meant);
  }
}

class SizesOfAPage extends LinesStorage {
  override async sizes(tenant: string, take: (size: RowSize) => void): Promise<void> {
    let left = LIMIT;
    await super.sizes(tenant, (size) => {
      if (left-- > 0) take(size);
    });
  }
}

class CountsAPage extends LinesStorage {
  override async outdated(ids: GenerationIds, limit: number): Promise<Outdated> {
    const found = await super.outdated(ids, limit);
    return {
      ...found,
      rowCount: Math.min(LIMIT, found.rowCount),
      outdatedCount: Math.min(LIMIT, found.outdatedCount),
    };
  }
}

export const volumeMutants: readonly StorageMutant[] = [
  { name: "loads-a-page", check: "volume/rows-of-a-scope", failure: /2000 missing/, storage: LoadsAPage },
  {
    name: "pages-overlap",
    check: "volume/rows-of-a-scope",
    failure: /2 unexpected/,
    storage: LoadsWholePages,
  },
  {
    name: "reads-999-bodies",
    check: "volume/rows-of-a-scope",
    failure: /ids of rows that readBodies returns/,
    storage: ReadsSoManyBodies,
  },
  {
    name: "removes-999-rows",
    check: "volume/removals-at-once",
    failure: /after the removal of seven in eight/,
    storage: RemovesSoMany,
  },
  {
    name: "removes-a-range",
    check: "volume/removals-at-once",
    failure: /after the removal of seven in eight/,
    storage: RemovesARange,
  },
  {
    name: "sizes-of-a-page",
    check: "volume/sizes",
    failure: /ids that sizes reports with 3000 rows/,
    storage: SizesOfAPage,
  },
  {
    name: "counts-a-page",
    check: "volume/sizes",
    failure: /numbers of rows and of outdated rows/,
    storage: CountsAPage,
  },
];
