import { parseScopeId, type Scope } from "@membus/protocol";
import { type GenerationIds, isOutdated, type Outdated, type RowSize } from "../../src/index.js";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

class KeepsBodies extends LinesStorage {
  readonly #bodies = new Map<string, string>();

  override async readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const read = await super.readBodies(scope, rowIds);
    const cached = rowIds.flatMap((rowId): [number, string][] => {
      const body = read.get(rowId) ?? this.#bodies.get(`${scope} ${rowId}`);
      return body === undefined ? [] : [[rowId, body]];
    });
    return new Map(cached);
  }

  override async append(added: Parameters<LinesStorage["append"]>[0]): Promise<void> {
    for (const { scope, row } of added) this.#bodies.set(`${scope} ${row.rowId}`, row.body);
    await super.append(added);
  }
}

class ReadsAnyScope extends LinesStorage {
  override async readBodies(_scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const all = new Map([...this.rows.values()].flatMap((rows) => [...rows]));
    return new Map(rowIds.flatMap((rowId) => (all.has(rowId) ? [[rowId, all.get(rowId)!.body]] : [])));
  }
}

class DemandsRows extends LinesStorage {
  protected override async removeIds(scope: string, ids: readonly number[]): Promise<void> {
    const missing = ids.find((rowId) => !this.rowsOf(scope).has(rowId));
    if (missing !== undefined) throw new Error(`there is no row ${missing}`);
    await super.removeIds(scope, ids);
  }
}

class RemovesAllOrNone extends LinesStorage {
  protected override async removeIds(scope: string, ids: readonly number[]): Promise<void> {
    if (ids.every((rowId) => this.rowsOf(scope).has(rowId))) await super.removeIds(scope, ids);
  }
}

class RemovesNothing extends LinesStorage {
  override async remove(): Promise<void> {}
}

/** Removes rows in memory, and forgets to write it. */
class RemovesInMemory extends LinesStorage {
  protected override async removeIds(scope: string, ids: readonly number[]): Promise<void> {
    for (const rowId of ids) this.rowsOf(scope).delete(rowId);
  }
}

class NamesNoExpired extends LinesStorage {
  override async expiredScopes(): Promise<readonly string[]> {
    return [];
  }
}

/** Finds rows that expired before the storage was opened only. */
class ExpiredWhenOpened extends LinesStorage {
  #opened: readonly string[] = [];

  override async open(): Promise<void> {
    await super.open();
    this.#opened = await super.expiredScopes(this.place.clock.now(), Number.POSITIVE_INFINITY);
  }

  override async expiredScopes(_now: number, limit: number): Promise<readonly string[]> {
    return this.#opened.slice(0, limit);
  }
}

class FindsNoOutdated extends LinesStorage {
  override async outdated(ids: GenerationIds): Promise<Outdated> {
    const { rowCount } = await super.outdated(ids, 0);
    return { rowCount, outdatedCount: 0, scopes: [] };
  }
}

/** Counts outdated rows, but names no scope of them. */
class NamesNoOutdated extends LinesStorage {
  override async outdated(ids: GenerationIds, limit: number): Promise<Outdated> {
    return { ...(await super.outdated(ids, limit)), scopes: [] };
  }
}

const takingBack = (
  isTaken: (rowId: number, first: number) => boolean,
  scopesOf: (all: string[], named: readonly string[]) => readonly string[],
) =>
  class extends LinesStorage {
    override async removeFrom(first: number, scopes: readonly string[]): Promise<void> {
      for (const scope of scopesOf([...this.rows.keys()], scopes)) {
        await this.removeIds(
          scope,
          [...this.rowsOf(scope).keys()].filter((rowId) => isTaken(rowId, first)),
        );
      }
    }
  };

class NamesEmptyScopes extends LinesStorage {
  override async scopes(tenant: string): Promise<readonly Scope[]> {
    return [...this.rows.keys()].map(parseScopeId).filter((scope) => scope.tenant === tenant);
  }
}

class NamesScopesOfAll extends LinesStorage {
  override async scopes(): Promise<readonly Scope[]> {
    return this.filled().map(([scope]) => parseScopeId(scope));
  }
}

class NamesScopesByRow extends LinesStorage {
  override async scopes(tenant: string): Promise<readonly Scope[]> {
    const named = this.filled().flatMap(([scope, rows]) => [...rows].map(() => parseScopeId(scope)));
    return named.filter((scope) => scope.tenant === tenant);
  }
}

class CountsCharacters extends LinesStorage {
  override sizes(tenant: string, take: (size: RowSize) => void): Promise<void> {
    return super.sizes(tenant, (size) => {
      const body = this.rowsOf(size.scope).get(size.rowId)!.body;
      take({ ...size, bodyBytes: body.length });
    });
  }
}

class SizesOfAll extends LinesStorage {
  override async sizes(_tenant: string, take: (size: RowSize) => void): Promise<void> {
    const tenants = new Set(this.filled().map(([scope]) => parseScopeId(scope).tenant));
    for (const tenant of tenants) await super.sizes(tenant, take);
  }
}

const expiring = (isPast: (expiresAt: number, now: number) => boolean, hasLimit = true) =>
  class extends LinesStorage {
    override async expiredScopes(now: number, limit: number): Promise<readonly string[]> {
      const found = this.filled().filter(([, rows]) =>
        [...rows.values()].some((row) => isPast(row.expiresAt, now)),
      );
      return found.map(([scope]) => scope).slice(0, hasLimit ? limit : undefined);
    }
  };

class ExpiryOfRemoved extends LinesStorage {
  readonly #ends = new Map<string, number>();

  override async append(added: Parameters<LinesStorage["append"]>[0]): Promise<void> {
    for (const { scope, row } of added) if (row.expiresAt !== 0) this.#ends.set(scope, row.expiresAt);
    await super.append(added);
  }

  override async expiredScopes(now: number, limit: number): Promise<readonly string[]> {
    return [...this.#ends].flatMap(([scope, end]) => (end <= now ? [scope] : [])).slice(0, limit);
  }
}

class OutdatedByAnalyzer extends LinesStorage {
  override outdated({ analyzer }: GenerationIds, limit: number): Promise<Outdated> {
    return super.outdated({ analyzer, embedder: undefined }, limit);
  }
}

class OutdatedWithoutLimit extends LinesStorage {
  override outdated(ids: GenerationIds): Promise<Outdated> {
    return super.outdated(ids, Number.POSITIVE_INFINITY);
  }
}

class CountsOutdatedAlone extends LinesStorage {
  override async outdated(ids: GenerationIds, limit: number): Promise<Outdated> {
    const found = await super.outdated(ids, limit);
    const rows = this.filled().flatMap(([, held]) => [...held.values()]);
    return { ...found, rowCount: rows.filter((row) => isOutdated(row, ids)).length };
  }
}

class PurgesNothingTwice extends LinesStorage {
  override async maintain(options: { readonly purge: boolean }): Promise<boolean> {
    if (options.purge && this.spoilt.size === 0) return false;
    return super.maintain(options);
  }
}

const allOf = (all: string[]) => all;
const namedOf = (_: string[], named: readonly string[]) => named;

export const answerMutants: readonly StorageMutant[] = [
  {
    name: "bodies-kept",
    check: "answers/bodies",
    failure: /bodies of 5 .* 2 \(removed\)/,
    storage: KeepsBodies,
  },
  {
    name: "bodies-of-any-scope",
    check: "answers/bodies",
    failure: /bodies of 5 \(another scope's\)/,
    storage: ReadsAnyScope,
  },
  {
    name: "missing-rows-fail",
    check: "answers/removals",
    failure: /there is no row 901/,
    storage: DemandsRows,
  },
  {
    name: "missing-rows-keep-others",
    check: "answers/removals",
    failure: /ids of rows that load returns .* after removing a row, and one that was never there/,
    storage: RemovesAllOrNone,
  },
  {
    name: "removes-nothing",
    check: "answers/removals",
    failure: /ids of rows that load returns .* after removing a row, and one that was never there/,
    storage: RemovesNothing,
  },
  {
    name: "removes-in-memory",
    check: "answers/removals",
    failure: /ids of rows that load returns .* after that and reopening/,
    storage: RemovesInMemory,
  },
  {
    name: "names-no-expired",
    check: "answers/expired-scopes",
    failure: /scopes with rows that are expired at 100.5/,
    storage: NamesNoExpired,
  },
  {
    name: "expired-when-opened",
    check: "answers/expired-scopes",
    failure: /scopes with rows that are expired at 100.5 right after append/,
    storage: ExpiredWhenOpened,
  },
  {
    name: "finds-no-outdated",
    check: "answers/outdated",
    failure: /numbers of rows and of outdated rows/,
    storage: FindsNoOutdated,
  },
  {
    name: "names-no-outdated",
    check: "answers/outdated",
    failure: /scopes with outdated rows right after append/,
    storage: NamesNoOutdated,
  },
  {
    name: "taken-back-nothing",
    check: "answers/taken-back",
    failure: /after removeFrom 11 of two of the three scopes/,
    storage: class extends LinesStorage {
      override async removeFrom(): Promise<void> {}
    },
  },
  {
    name: "taken-back-above",
    check: "answers/taken-back",
    failure: /after removeFrom 11 of two of the three scopes/,
    storage: takingBack((rowId, first) => rowId > first, namedOf),
  },
  {
    name: "taken-back-everywhere",
    check: "answers/taken-back",
    failure: /after removeFrom 11 of two of the three scopes/,
    storage: takingBack((rowId, first) => rowId >= first, allOf),
  },
  {
    name: "taken-back-alone",
    check: "answers/taken-back",
    failure: /after removeFrom 11 of two of the three scopes/,
    storage: takingBack((rowId, first) => rowId === first, namedOf),
  },
  {
    name: "scopes-without-rows",
    check: "answers/scopes-of-a-tenant",
    failure: /scopes of tenant acme after three scopes .* 1 unexpected/s,
    storage: NamesEmptyScopes,
  },
  {
    name: "scopes-of-all-tenants",
    check: "answers/scopes-of-a-tenant",
    failure: /scopes of tenant .* unexpected/s,
    storage: NamesScopesOfAll,
  },
  {
    name: "scopes-by-row",
    check: "volume/rows-of-a-scope",
    failure: /scopes of tenant acme .* unexpected/s,
    storage: NamesScopesByRow,
  },
  {
    name: "sizes-in-characters",
    check: "answers/sizes",
    failure: /rows that sizes reports/,
    storage: CountsCharacters,
  },
  {
    name: "sizes-of-all-tenants",
    check: "answers/sizes",
    failure: /rows that sizes reports/,
    storage: SizesOfAll,
  },
  {
    name: "expired-a-moment-later",
    check: "answers/expired-scopes",
    failure: /scopes with rows that are expired at 100.5/,
    storage: expiring((end, now) => end !== 0 && end < now),
  },
  {
    name: "expired-without-expiry",
    check: "answers/expired-scopes",
    failure: /scopes with rows that are expired at 99.5/,
    storage: expiring((end, now) => end <= now),
  },
  {
    name: "expired-without-limit",
    check: "answers/expired-scopes",
    failure: /expired scopes with a limit of 2/,
    storage: expiring((end, now) => end !== 0 && end <= now, false),
  },
  {
    name: "expired-before-reopening",
    check: "answers/expired-scopes",
    failure: /scopes with rows that are expired at 100.5 after reopening/,
    storage: ExpiryOfRemoved,
  },
  {
    name: "outdated-by-analyzer",
    check: "answers/outdated",
    failure: /numbers of rows and of outdated rows/,
    storage: OutdatedByAnalyzer,
  },
  {
    name: "outdated-without-limit",
    check: "answers/outdated",
    failure: /with a limit of 1/,
    storage: OutdatedWithoutLimit,
  },
  {
    name: "outdated-of-outdated",
    check: "answers/outdated",
    failure: /numbers of rows and of outdated rows/,
    storage: CountsOutdatedAlone,
  },
  {
    name: "purges-nothing-twice",
    check: "answers/nothing",
    failure: /result of a purge of a new storage/,
    storage: PurgesNothingTwice,
  },
  {
    name: "demands-a-folder",
    check: "answers/nothing",
    failure: /ENOENT/,
    storage: class extends LinesStorage {
      override async open(): Promise<void> {
        await this.openFile(`${this.directory}/first.jsonl`);
        await super.open();
      }
    },
  },
];
