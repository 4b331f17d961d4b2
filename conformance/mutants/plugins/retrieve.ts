import type { Mutant } from "../mutant.js";
import { pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

export const retrieveMutants: readonly Mutant[] = [
  pluginMutant({
    id: "retrieve-total-after-limit",
    defect: "the total counts the page instead of all that match",
    check: "retrieve/limit-is-upper-bound",
    names: /total of a retrieve with limit/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...args: Parameters<ReferencePlugin["page"]>) {
          const page = super.page(...args);
          return { ...page, total: page.entries.length };
        }
      })(),
  }),
];
