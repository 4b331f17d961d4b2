import type { Filter } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

/** The reference plugin with forgets that use another filter. */
function forgettingBy(change: (criteria: readonly Filter[]) => Filter): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override doomed(...[selector, request]: Parameters<ReferencePlugin["doomed"]>) {
      const { all } = request.filter as { readonly all: readonly Filter[] };
      return super.doomed(selector, { ...request, filter: change(all) });
    }
  })();
}

const NOTHING: Filter = { any: [] };

function isOn(field: string, filter: Filter): boolean {
  if ("all" in filter) return filter.all.some((child) => isOn(field, child));
  return "field" in filter && filter.field === field;
}

export const forgetSelectionMutants: readonly Mutant[] = [
  pluginMutant({
    id: "forget-by-key-never-matches",
    defect: "a forget by key compares the key with its hash, and deletes nothing",
    check: "forget/by-key",
    names: /deleted by a forget of 2 of 4 entries/,
    createPlugin: () => forgettingBy((all) => (all.some((one) => isOn("key_hash", one)) ? NOTHING : { all })),
  }),
  pluginMutant({
    id: "forget-ors-criteria",
    defect: "a forget deletes entries that meet any of its criteria",
    check: "forget/criteria-are-anded",
    names: /entries left after a forget with keys, tags and group/,
    createPlugin: () => forgettingBy((all) => (all.length === 0 ? { all } : { any: all })),
  }),
  pluginMutant({
    id: "forget-heeds-keys-and-tags-alone",
    defect: "a forget ignores all criteria except keys and tags",
    check: "forget/heeds-every-criterion",
    names: /deleted by a forget with only {"match"/,
    createPlugin: () =>
      forgettingBy((all) => ({ all: all.filter((one) => isOn("key_hash", one) || isOn("tags", one)) })),
  }),
  pluginMutant({
    id: "forget-without-criteria-takes-nothing",
    defect: "a forget without criteria selects nothing",
    check: "forget/clears-a-tier-of-ones-own",
    names: /deleted by a forget that names the tier working and no criterion/,
    createPlugin: () => forgettingBy((all) => (all.length === 0 ? NOTHING : { all })),
  }),
  pluginMutant({
    id: "forget-takes-all-namespaces",
    defect: "a forget reaches every namespace of the agent",
    check: "forget/leaves-other-namespaces",
    names: /deleted by a forget of all of one namespace/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override doomed(...[selector, request]: Parameters<ReferencePlugin["doomed"]>) {
          const root = selector.namespace.split("/")[0]!;
          return super.doomed({ ...selector, namespace: root, subtree: true }, request);
        }
      })(),
  }),
  pluginMutant({
    id: "forget-dry-run-deletes",
    defect: "a dry run deletes like any other forget",
    check: "forget/dry-run-counts-and-keeps",
    names: /entries that are there after a dry run/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override onForget(...[selector, request]: Parameters<ReferencePlugin["onForget"]>) {
          return super.onForget(selector, { ...request, dry_run: false });
        }
      })(),
  }),
  pluginMutant({
    id: "forget-counts-the-requested",
    defect: "`deleted` is the number of given keys",
    check: "forget/deleted-is-what-went",
    names: /deleted of a forget that names 2 entries/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
          const result = await super.forgetAll(selector, request);
          const { all } = request.filter as { readonly all: readonly Filter[] };
          const keys = all.find((one) => isOn("key_hash", one)) as { value?: readonly string[] } | undefined;
          return { ...result, deleted: keys?.value?.length ?? result.deleted };
        }
      })(),
  }),
];
