import { rewriteRequests } from "../hosts/intercept.js";
import { without } from "../hosts/rewrite-entries.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

const declaredAloneMutants: readonly Mutant[] = [
  pluginMutant({
    id: "similarity-declared-alone",
    defect: "`similarity` is declared, and a query by vector finds nothing",
    check: "similarity/works-when-declared",
    names: /first result of a query by vector/,
    createPlugin: () => ranking((mode) => mode !== "vector"),
  }),
  pluginMutant({
    id: "full_text-declared-alone",
    defect: "`full_text` is declared, and a query by words finds nothing",
    check: "full-text/works-when-declared",
    names: /results of a query with words/,
    createPlugin: () => ranking((mode) => mode !== "text"),
  }),
  pluginMutant({
    id: "ttl-declared-alone",
    defect: "`ttl` is declared, but no entry ever expires",
    check: "ttl/works-when-declared",
    names: /entries 2 s after stores with a ttl of 1 s and of an hour/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override isOver(): boolean {
          return false;
        }
      })(),
  }),
  pluginMutant({
    id: "conditional-declared-alone",
    defect: "`conditional` is declared, and `if_revision` is ignored",
    check: "conditional/works-when-declared",
    names: /codes of a store with `if_revision` 0 of a key that exists/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override refusal(): undefined {
          return undefined;
        }
      })(),
  }),
  pluginMutant({
    id: "subtree-declared-alone",
    defect: "`subtree` is declared, but `a/**` is treated as `a`",
    check: "subtree/works-when-declared",
    names: /entries of a subtree that holds 1 itself and 1 below/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override selects(...[selector, scope]: Parameters<ReferencePlugin["selects"]>): boolean {
          return super.selects({ ...selector, subtree: false }, scope);
        }
      })(),
  }),
  pluginMutant({
    id: "queued-declared-alone",
    defect: '`queued` is declared, but entries stored with ack "queued" stay in the queue',
    check: "queued/works-when-declared",
    names: /entries after a store of 2 with ack "queued"/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onStore(...[scope, request]: Parameters<ReferencePlugin["onStore"]>) {
          const result = await super.onStore(scope, request);
          if (request.ack === "queued") {
            for (const { key_hash } of request.entries) this.partition(scope).rows.delete(key_hash);
          }
          return result;
        }
      })(),
  }),
];

function ranking(ranks: (mode: string) => boolean): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override relevance(...[row, request, vector]: Parameters<ReferencePlugin["relevance"]>) {
      return ranks(request.mode) ? super.relevance(row, request, vector) : 0;
    }
  })();
}

const requiresMutants: readonly Mutant[] = [
  hostMutant({
    id: "features-requires-ignored",
    defect: "`requires` is ignored",
    check: "features/undeclared-is-refused-when-required",
    names: /codes of a store that requires \w+, which the manifest of the tier \w+ does not declare/,
    bus: (bus) => rewriteRequests(bus, (fields) => without(fields, "requires") as typeof fields),
  }),
  hostMutant({
    id: "queued-host-does-not-look",
    defect: 'a host passes on a store with ack "queued" to any tier',
    check: "queued/host-refuses-when-undeclared",
    names: /codes of a store with ack "queued" in a tier that does not declare queued/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => (fields.ack === "queued" ? { ...fields, ack: "stored" } : fields)),
  }),
  hostMutant({
    id: "features-requires-of-a-few",
    defect: "`requires` only knows features that have a request field",
    check: "features/declared-may-be-required",
    names: /that requires (eviction|shared), which the manifest of the tier \w+ declares/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const { requires } = fields as { readonly requires?: readonly string[] };
        const unknown = ["durable", "shared", "eviction"];
        const known = requires?.map((name) => (unknown.includes(name) ? `${name}?` : name));
        return known === undefined ? fields : { ...fields, requires: known };
      }),
  }),
];

export const featuresMutants: readonly Mutant[] = [...declaredAloneMutants, ...requiresMutants];
