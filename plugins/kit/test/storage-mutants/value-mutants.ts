import type { Row } from "../../src/index.js";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

/** A storage in whose rows something changes on the way to the disk. */
const changing = (change: (row: Row) => Partial<Row>) =>
  class extends LinesStorage {
    protected override decode(value: unknown): Row {
      const row = super.decode(value);
      return { ...row, ...change(row) };
    }
  };

class ReplacesVersions extends LinesStorage {
  override async append(added: Parameters<LinesStorage["append"]>[0]): Promise<void> {
    for (const { scope, row } of added) {
      const former = [...this.rowsOf(scope).values()].filter(({ keyHash }) => keyHash === row.keyHash);
      await this.removeIds(
        scope,
        former.map(({ rowId }) => rowId),
      );
    }
    await super.append(added);
  }
}

class SplitsAtSeparators extends LinesStorage {
  protected override wholeLines(text: string): string {
    return super.wholeLines(text).replace(/[\u2028\u2029\u0085]/g, "\n");
  }
}

export const valueMutants: readonly StorageMutant[] = [
  {
    name: "importance-in-four-bytes",
    check: "values/numbers-are-exact",
    says: /importance of row 4294967297 as load gives it/,
    storage: changing(({ importance }) => ({ importance: Math.fround(importance) })),
  },
  {
    name: "ids-in-four-bytes",
    check: "values/numbers-are-exact",
    says: /ids of rows that load gives/,
    storage: changing(({ rowId }) => ({ rowId: rowId | 0 })),
  },
  {
    name: "times-in-milliseconds",
    check: "values/numbers-are-exact",
    says: /created of row 4294967297 as load gives it/,
    storage: changing(({ created }) => ({ created: Math.round(created * 1_000) / 1_000 })),
  },
  {
    name: "no-expiry-is-null",
    check: "values/numbers-are-exact",
    says: /expiresAt of row 0 as load gives it/,
    storage: changing(({ expiresAt, created }) => ({ expiresAt: expiresAt || created })),
  },
  {
    name: "groups-trimmed",
    check: "values/texts-byte-for-byte",
    says: /group of row 1 as load gives it/,
    storage: changing(({ group }) => ({ group: group.trim() })),
  },
  {
    name: "bodies-parsed",
    check: "values/texts-byte-for-byte",
    says: /bodyBytes of row 1 as load gives it/,
    storage: changing(({ body }) => ({ body: JSON.stringify(JSON.parse(body)) })),
  },
  {
    name: "facets-normalised",
    check: "values/texts-byte-for-byte",
    says: /facets of row 6 as load gives it/,
    storage: changing(({ facets }) => ({ facets: facets.normalize("NFC") })),
  },
  {
    name: "groups-end-at-nul",
    check: "values/texts-byte-for-byte",
    says: /group of row 9 as load gives it/,
    storage: changing(({ group }) => ({ group: group.split("\u0000")[0]! })),
  },
  {
    name: "lines-end-at-any-separator",
    check: "values/texts-byte-for-byte",
    says: /JSON/,
    storage: SplitsAtSeparators,
  },
  {
    name: "bodies-of-64-kib",
    check: "values/large-contents",
    says: /bodyBytes of row 1 as load gives it/,
    storage: changing(({ body }) => ({ body: Buffer.from(body).subarray(0, 65_535).toString() })),
  },
  {
    name: "groups-of-255-characters",
    check: "values/large-contents",
    says: /group of row 1 as load gives it/,
    storage: changing(({ group }) => ({ group: group.slice(0, 255) })),
  },
  {
    name: "no-vector-is-zeros",
    check: "values/vectors-and-terms",
    says: /vector of row 1 as load gives it/,
    storage: changing(({ vector }) => ({ vector: vector ?? new Float32Array(8) })),
  },
  {
    name: "vectors-rounded",
    check: "values/vectors-and-terms",
    says: /vector of row 3 as load gives it/,
    storage: changing(({ vector }) => ({
      vector: vector?.map((one) => Math.round(one * 1e6) / 1e6) ?? null,
    })),
  },
  {
    name: "terms-are-signed",
    check: "values/vectors-and-terms",
    says: /terms of row [23] as load gives it/,
    storage: changing(({ terms }) => ({ terms: terms?.map((term) => Math.min(term, 2 ** 31 - 1)) ?? null })),
  },
  {
    name: "no-embedder-without-a-fitting-vector",
    check: "values/vectors-and-terms",
    says: /`embedder` of a row whose vector has other dimensions/,
    storage: class extends LinesStorage {
      override append(added: Parameters<LinesStorage["append"]>[0]): Promise<void> {
        const fits = ({ vector }: Row) => vector === null || vector.length === this.place.dimensions;
        return super.append(
          added.map(({ scope, row }) => ({ scope, row: fits(row) ? row : { ...row, embedder: "" } })),
        );
      }
    },
  },
  {
    name: "one-row-of-a-key",
    check: "values/versions-of-a-key",
    says: /ids of rows that load gives .* with three versions of a key/,
    storage: ReplacesVersions,
  },
];
