import { without } from "../hosts/rewrite-entries.js";
import { type Mutant, pluginMutant } from "../mutant.js";
import { LineagePlugin } from "../reference/lineage-plugin.js";
import type { Row } from "../reference/row.js";

/** The lineage plugin with changed sources after a store. */
function merging(
  sources: (row: Row, item: Parameters<LineagePlugin["merge"]>[0]) => readonly string[] | undefined,
) {
  return () =>
    new (class extends LineagePlugin {
      protected override merge(...[item, ...more]: Parameters<LineagePlugin["merge"]>): Row {
        const row = super.merge(item, ...more);
        return { ...row, sources: sources(row, item) };
      }
    })();
}

export const sourcesMutants: readonly Mutant[] = [
  pluginMutant({
    id: "sources-sorted",
    defect: "sources are stored as a set, and returned in sorted order",
    check: "sources/returned-as-given",
    names: /sources of entries, by how they were given/,
    tier: "episodic",
    createPlugin: merging(({ sources }) => sources && [...sources].sort()),
  }),
  pluginMutant({
    id: "sources-lost-on-update",
    defect: "a store without sources clears the sources of the entry",
    check: "sources/stay-and-clear-as-an-extension-field",
    names: /outcome of a store without the field/,
    tier: "episodic",
    createPlugin: merging(({ sources }, item) => (item.sources === undefined ? undefined : sources)),
  }),
  pluginMutant({
    id: "sources-not-filtered-by",
    defect: "filters ignore the sources of an entry",
    check: "sources/a-field-of-where",
    names: /ids for sources eq/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override isSelected(...[row, request]: Parameters<LineagePlugin["isSelected"]>) {
          return super.isSelected(without({ ...row }, "sources") as unknown as Row, request);
        }
      })(),
  }),
];
