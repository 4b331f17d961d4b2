import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

/** The reference plugin with other page ends, computed by `count` from the `sizes` of the entries. */
function cutting(
  count: (sizes: readonly number[], maxBytes: number) => number,
  extra: { readonly cut?: true },
  sizeOf: (row: Row) => number = ({ content }) => JSON.stringify(content).length,
): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
      const page = super.page(found, request);
      const rows = new Map(found.map(({ row }) => [row.key_hash, row]));
      const sizes = page.entries.map(({ key_hash }) => sizeOf(rows.get(key_hash)!));
      const entries = page.entries.slice(0, count(sizes, request.max_bytes));
      return entries.length === page.entries.length ? page : { ...page, entries, ...extra };
    }
  })();
}

/** Returns how many of the first entries fit into `maxBytes`. */
function within(sizes: readonly number[], maxBytes: number): number {
  let bytes = 0;
  const tooFar = sizes.findIndex((size) => {
    bytes += size;
    return bytes > maxBytes;
  });
  return tooFar === -1 ? sizes.length : tooFar;
}

export const cursorCutMutants: readonly Mutant[] = [
  pluginMutant({
    id: "cursor-cut-unsaid",
    defect: "a page that ends after `max_bytes` is not marked as cut",
    check: "cursor/page-is-cut-behind-max-bytes",
    names: /`cut` of onRetrieve/,
    createPlugin: () => cutting((sizes, maxBytes) => within(sizes, maxBytes) + 1, {}),
  }),
  pluginMutant({
    id: "cursor-cut-before-the-first",
    defect: "a page ends before the entry that exceeds `max_bytes`, even the first one",
    check: "cursor/page-is-cut-behind-max-bytes",
    names: /number of entries of onRetrieve/,
    createPlugin: () => cutting(within, { cut: true }),
  }),
  pluginMutant({
    id: "cursor-cut-by-contexts",
    defect: "contexts that are not returned count for `max_bytes`",
    check: "cursor/page-is-cut-behind-max-bytes",
    names: /number of entries of onRetrieve/,
    createPlugin: () =>
      cutting(
        (sizes, maxBytes) => within(sizes, maxBytes) + 1,
        { cut: true },
        ({ content, context = "" }) => JSON.stringify(content).length + context.length,
      ),
  }),
];
