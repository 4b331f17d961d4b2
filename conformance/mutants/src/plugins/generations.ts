import { type Mutant, pluginMutant } from "../mutant.js";
import { GenerationsPlugin } from "../reference/generations-plugin.js";
import type { Row } from "../reference/row.js";

export const generationsMutants: readonly Mutant[] = [
  pluginMutant({
    id: "generations-mixed",
    defect: "vectors of a former embedder are compared with queries of the new one",
    check: "generations/vectors-of-another-embedder-are-not-compared",
    names: /first result for the text of 0 in mode vector right after a change of the embedder/,
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
    defect: "vectors of a former embedder are dropped, and their entries never get new ones",
    check: "generations/embedded-anew-without-being-asked",
    names: /first result for the text of 0 in mode vector, after/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends GenerationsPlugin {
        protected override isOfAnother(row: Row): boolean {
          return super.isOfAnother(row) && row.vector !== undefined;
        }
        protected override async vectorOf(row: Row): Promise<Float32Array | undefined> {
          return super.isOfAnother(row) ? undefined : super.vectorOf(row);
        }
      })(),
  }),
  pluginMutant({
    id: "generations-compared-halfway",
    defect: "existing vectors are used while other entries are not reembedded",
    check: "generations/words-answer-while-embedded-anew",
    names: /ids found in mode vector while an entry is not reembedded/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends GenerationsPlugin {
        protected override areWordsLeft(): boolean {
          return false;
        }
        override async onRetrieve(...args: Parameters<GenerationsPlugin["onRetrieve"]>) {
          const found = await super.onRetrieve(...args);
          return super.areWordsLeft(...args) ? { ...found, degraded: this.reindexing() } : found;
        }
      })(),
  }),
];
