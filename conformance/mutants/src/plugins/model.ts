import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

export const modelMutants: readonly Mutant[] = [
  pluginMutant({
    id: "model-update-after-forget-keeps-old-tags",
    defect: "an entry that is stored again after a forget has the tags that it had before",
    check: "model/sequences-agree-with-a-map",
    names: /entries of a retrieve in order (newest|oldest)/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #tags = new Map<string, readonly string[]>();

        protected override drop(...args: Parameters<ReferencePlugin["drop"]>) {
          this.#tags.set(args[0].key_hash, args[0].tags);
          super.drop(...args);
        }

        protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>) {
          const row = super.merge(item, previous, context);
          const tags = this.#tags.get(item.key_hash);
          return previous || item.tags?.length || !tags ? row : { ...row, tags };
        }
      })(),
  }),
  pluginMutant({
    id: "model-condition-checked-too-early",
    defect: "a compare-and-set reads the revision, waits, and then overwrites concurrent changes",
    check: "model/concurrent-requests-have-an-order",
    names: /agents that used key \d concurrently/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #seen: ReturnType<ReferencePlugin["previous"]>;

        protected override async storeOne(...args: Parameters<ReferencePlugin["storeOne"]>) {
          const seen = super.previous(args[0], args[1]);
          await new Promise((resolve) => setImmediate(resolve));
          this.#seen = seen;
          return super.storeOne(...args);
        }

        protected override previous() {
          return this.#seen;
        }
      })(),
  }),
];
