import type { Row } from "../../src/index.js";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

/** A storage that changes rows before they are written. */
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
    failure: /importance of row 4294967297 that load returns/,
    storage: changing(({ importance }) => ({ importance: Math.fround(importance) })),
  },
  {
    name: "ids-in-four-bytes",
    check: "values/numbers-are-exact",
    failure: /ids of rows that load returns/,
    storage: changing(({ rowId }) => ({ rowId: rowId | 0 })),
  },
  {
    name: "times-in-milliseconds",
    check: "values/numbers-are-exact",
    failure: /created of row 4294967297 that load returns/,
    storage: changing(({ created }) => ({ created: Math.round(created * 1_000) / 1_000 })),
  },
  {
    name: "no-expiry-is-null",
    check: "values/numbers-are-exact",
    failure: /expiresAt of row 0 that load returns/,
    storage: changing(({ expiresAt, created }) => ({ expiresAt: expiresAt || created })),
  },
  {
    name: "groups-trimmed",
    check: "values/texts-byte-for-byte",
    failure: /group of row 1 that load returns/,
    storage: changing(({ group }) => ({ group: group.trim() })),
  },
  {
    name: "bodies-parsed",
    check: "values/texts-byte-for-byte",
    failure: /bodyBytes of row 1 that load returns/,
    storage: changing(({ body }) => ({ body: JSON.stringify(JSON.parse(body)) })),
  },
  {
    name: "facets-normalised",
    check: "values/texts-byte-for-byte",
    failure: /facets of row 6 that load returns/,
    storage: changing(({ facets }) => ({ facets: facets.normalize("NFC") })),
  },
  {
    name: "groups-end-at-nul",
    check: "values/texts-byte-for-byte",
    failure: /group of row 9 that load returns/,
    storage: changing(({ group }) => ({ group: group.split("\u0000")[0]! })),
  },
  {
    name: "lines-end-at-any-separator",
    check: "values/texts-byte-for-byte",
    failure: /JSON/,
    storage: SplitsAtSeparators,
  },
  {
    name: "bodies-of-64-kib",
    check: "values/large-contents",
    failure: /bodyBytes of row 1 that load returns/,
    storage: changing(({ body }) => ({ body: Buffer.from(body).subarray(0, 65_535).toString() })),
  },
  {
    name: "groups-of-255-characters",
    check: "values/large-contents",
    failure: /group of row 1 that load returns/,
    storage: changing(({ group }) => ({ group: group.slice(0, 255) })),
  },
  {
    name: "no-vector-is-zeros",
    check: "values/vectors-and-terms",
    failure: /vector of row 1 that load returns/,
    storage: changing(({ vector }) => ({ vector: vector ?? new Float32Array(8) })),
  },
  {
    name: "vectors-rounded",
    check: "values/vectors-and-terms",
    failure: /vector of row 3 that load returns/,
    storage: changing(({ vector }) => ({
      vector: vector?.map((one) => Math.round(one * 1e6) / 1e6) ?? null,
    })),
  },
  {
    name: "terms-are-signed",
    check: "values/vectors-and-terms",
    failure: /terms of row [23] that load returns/,
    storage: changing(({ terms }) => ({ terms: terms?.map((term) => Math.min(term, 2 ** 31 - 1)) ?? null })),
  },
  {
    name: "no-embedder-without-a-fitting-vector",
    check: "values/vectors-and-terms",
    failure: /`embedder` of a row with another vector length/,
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
    failure: /ids of rows that load returns .* with three versions of a key/,
    storage: ReplacesVersions,
  },
];
