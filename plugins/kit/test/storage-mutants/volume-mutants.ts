import { type Scope, scopeId } from "@membus/protocol";
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

/** A usual batch of a columnar reader. */
const BATCH = 8_192;

class LoadsABatch extends LinesStorage {
  override async load(scope: string, into: RowSink): Promise<void> {
    const rows = [...this.rowsOf(scope).values()];
    into.reserve(rows.length);
    into.take(columnsOf(rows.slice(0, BATCH), this.place.dimensions));
  }
}

/** Reads at most 100 bodies, as a paged interface does. */
class ReadsAPageOfBodies extends LinesStorage {
  override readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return super.readBodies(scope, rowIds.slice(0, 100));
  }
}

/** Removes in batches, but only whole ones. */
class RemovesWholeBatches extends LinesStorage {
  protected override removeIds(scope: string, ids: readonly number[]): Promise<void> {
    const whole = ids.length - (ids.length % 100);
    return super.removeIds(scope, ids.length < 100 ? ids : ids.slice(0, whole));
  }
}

class NamesAPage extends LinesStorage {
  override async scopes(tenant: string): Promise<readonly Scope[]> {
    return (await super.scopes(tenant)).slice(0, LIMIT);
  }
}

class SizesOfAPageOfScopes extends LinesStorage {
  override async sizes(tenant: string, take: (size: RowSize) => void): Promise<void> {
    const scopes = new Set((await super.scopes(tenant)).slice(0, 100).map(scopeId));
    await super.sizes(tenant, (size) => {
      if (scopes.has(size.scope)) take(size);
    });
  }
}

/** Looks for expired rows in a part of the scopes only. */
class ExpiredOfAPage extends LinesStorage {
  override async expiredScopes(now: number, limit: number): Promise<readonly string[]> {
    const first = new Set([...this.rows.keys()].slice(0, 256));
    const found = await super.expiredScopes(now, Number.POSITIVE_INFINITY);
    return found.filter((scope) => first.has(scope)).slice(0, limit);
  }
}

/** Caps a limit, so that a caller finds fewer scopes than there are. */
class ExpiredOfFewer extends LinesStorage {
  override expiredScopes(now: number, limit: number): Promise<readonly string[]> {
    return super.expiredScopes(now, Math.min(limit, 100));
  }
}

/** Counts outdated rows, but names a scope once for each of them, and so runs into the limit. */
class OutdatedOfFirstRows extends LinesStorage {
  override async outdated(ids: GenerationIds, limit: number): Promise<Outdated> {
    const found = await super.outdated(ids, limit);
    return { ...found, scopes: found.scopes.slice(0, 100) };
  }
}

export const volumeMutants: readonly StorageMutant[] = [
  { name: "loads-a-page", check: "volume/rows-of-a-scope", failure: /8000 missing/, storage: LoadsAPage },
  {
    name: "pages-overlap",
    check: "volume/rows-of-a-scope",
    failure: /8 unexpected/,
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
    failure: /ids that sizes reports with 9000 rows/,
    storage: SizesOfAPage,
  },
  {
    name: "counts-a-page",
    check: "volume/sizes",
    failure: /numbers of rows and of outdated rows/,
    storage: CountsAPage,
  },
  {
    name: "loads-a-batch",
    check: "volume/rows-of-a-scope",
    failure: /808 missing/,
    storage: LoadsABatch,
  },
  {
    name: "reads-a-page-of-bodies",
    check: "volume/rows-of-a-scope",
    failure: /ids of rows that readBodies returns/,
    storage: ReadsAPageOfBodies,
  },
  {
    name: "removes-whole-batches",
    check: "volume/removals-at-once",
    failure: /after the removal of seven in eight/,
    storage: RemovesWholeBatches,
  },
  {
    name: "names-a-page",
    check: "volume/scopes-of-a-tenant",
    failure: /scopes with 1100 scopes\n.*100 missing/s,
    storage: NamesAPage,
  },
  {
    name: "sizes-of-a-page-of-scopes",
    check: "volume/scopes-of-a-tenant",
    failure: /scopes of the rows that sizes reports/,
    storage: SizesOfAPageOfScopes,
  },
  {
    name: "expired-of-a-page",
    check: "volume/scopes-of-a-tenant",
    failure: /scopes with expired rows with 1100 scopes/,
    storage: ExpiredOfAPage,
  },
  {
    name: "expired-of-fewer",
    check: "volume/scopes-of-a-tenant",
    failure: /scopes with expired rows with 1100 scopes/,
    storage: ExpiredOfFewer,
  },
  {
    name: "outdated-of-first-rows",
    check: "volume/scopes-of-a-tenant",
    failure: /scopes with outdated rows with 1100 scopes/,
    storage: OutdatedOfFirstRows,
  },
];
