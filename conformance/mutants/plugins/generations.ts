import { type Mutant, pluginMutant } from "../mutant.js";
import { GenerationsPlugin } from "../reference/generations-plugin.js";
import type { Row } from "../reference/row.js";

export const generationsMutants: readonly Mutant[] = [
  pluginMutant({
    id: "generations-mixed",
    defect: "vectors of a former embedder are compared with queries of the new one",
    check: "generations/vectors-of-another-embedder-are-not-compared",
    names: /first that the text of 0 finds in mode vector right after another embedder came/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends GenerationsPlugin {
        protected override outdated(row: Row): Row {
          return row;
        }
      })(),
  }),
  pluginMutant({
    id: "generations-never-embedded-anew",
    defect: "vectors of a former embedder are dropped, and their entries have none from then on",
    check: "generations/embedded-anew-without-being-asked",
    names: /first that the text of 0 finds in mode vector, once/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends GenerationsPlugin {
        protected override async embedPending(): Promise<void> {}
      })(),
  }),
  pluginMutant({
    id: "generations-begin-empty",
    defect: "entries of a former embedder are not read until they have been embedded anew",
    check: "generations/embedded-anew-without-being-asked",
    names: /ids by a word right after another embedder came/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends GenerationsPlugin {
        protected override isSelected(
          ...[row, request]: Parameters<GenerationsPlugin["isSelected"]>
        ): boolean {
          return row.vector !== undefined && super.isSelected(row, request);
        }
      })(),
  }),
];
