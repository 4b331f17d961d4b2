import { MemoryError, type Scope, type ScopeSelector, scopeId, selectsScope } from "@membus/protocol";
import { rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";

const PARTITIONS_MAX = 256;

/** The reference plugin with namespaces that are equal if `spelt` returns the same text. */
function spelling(spelt: (namespace: string) => string): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override partitionKey(scope: Scope) {
      return scopeId({ ...scope, namespace: spelt(scope.namespace) });
    }

    protected override selects(selector: ScopeSelector, scope: Scope) {
      const [selected, own] = [spelt(selector.namespace), spelt(scope.namespace)];
      return selectsScope({ ...selector, namespace: selected }, { ...scope, namespace: own });
    }
  })();
}

/** The reference plugin with other subtrees, determined by `holds`. */
function subtrees(holds: (root: string, namespace: string) => boolean): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override selects(selector: ScopeSelector, scope: Scope) {
      if (!selector.subtree) return super.selects(selector, scope);
      const isSame = selectsScope({ ...selector, namespace: "" }, { ...scope, namespace: "" });
      return isSame && holds(selector.namespace, scope.namespace);
    }
  })();
}

/** Rewrites the namespace of requests. */
function namespaceBecomes(change: (namespace: string) => string) {
  return (bus: Parameters<typeof rewriteRequests>[0]) =>
    rewriteRequests(bus, (fields) =>
      typeof fields.namespace === "string" ? { ...fields, namespace: change(fields.namespace) } : fields,
    );
}

const pluginMutants: readonly Mutant[] = [
  pluginMutant({
    id: "namespace-trimmed",
    defect: "spaces around the name of a namespace are dropped",
    check: "namespace/names-are-kept-apart",
    names: /contents of a retrieve in the namespace "[^"]*\/a"/,
    createPlugin: () => spelling((namespace) => namespace.replaceAll(/ *(\/|$) */g, "$1")),
  }),
  pluginMutant({
    id: "namespace-normalised",
    defect: "the characters of a namespace are normalised to the composed form of Unicode",
    check: "namespace/names-are-kept-apart",
    names: /contents of a retrieve in the namespace "[^"]*\/ä"/,
    createPlugin: () => spelling((namespace) => namespace.normalize("NFC")),
  }),
  pluginMutant({
    id: "namespace-forgotten-as-subtree",
    defect: "a forget of one namespace also deletes its subtree",
    check: "namespace/one-is-not-its-subtree",
    names: /`deleted` of a forget of everything in a namespace/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override doomed(...[selector, request]: Parameters<ReferencePlugin["doomed"]>) {
          return super.doomed({ ...selector, subtree: true }, request);
        }
      })(),
  }),
  pluginMutant({
    id: "namespace-subtree-as-like",
    defect: "_ in the name of a subtree matches any character, regardless of case",
    check: "namespace/subtree-holds-itself-and-below",
    names: /namespaces that a read of a_b\/\*\* finds/,
    createPlugin: () =>
      subtrees((root, namespace) => {
        const opening = new RegExp(`^${root.replaceAll("_", ".")}(/|$)`, "is");
        return opening.test(namespace);
      }),
  }),
  pluginMutant({
    id: "namespace-subtree-unbounded",
    defect: "a read of a subtree covers any number of partitions",
    check: "namespace/subtree-read-of-256-partitions",
    names: /a read of a subtree with an entry in each of 257 namespaces/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override refuseTooMany() {}
      })(),
  }),
  pluginMutant({
    id: "namespace-subtree-of-255",
    defect: "a read of a subtree with exactly 256 partitions is refused",
    check: "namespace/subtree-read-of-256-partitions",
    names: /too_large/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override refuseTooMany(partitions: readonly Partition[]) {
          const [max, got] = [PARTITIONS_MAX - 1, partitions.length];
          if (got > max)
            throw new MemoryError("too_large", "too many namespaces", {
              limit: "subtreePartitions",
              max,
              got,
            });
        }
      })(),
  }),
  pluginMutant({
    id: "namespace-forget-bounded",
    defect: "a forget of a subtree only deletes in its first 256 partitions",
    check: "namespace/forget-of-a-subtree-reaches-all",
    names: /`deleted` of a forget of a\/\*\*/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override doomed(...[selector, request]: Parameters<ReferencePlugin["doomed"]>) {
          const reached = new Set(this.selectedPartitions(selector).slice(0, PARTITIONS_MAX));
          return super.doomed(selector, request).filter((row) => reached.has(this.partition(row.scope)));
        }
      })(),
  }),
  pluginMutant({
    id: "namespace-forget-refused",
    defect: "a forget of a subtree has the limit of a read",
    check: "namespace/forget-of-a-subtree-reaches-all",
    names: /too_large/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override doomed(...[selector, request]: Parameters<ReferencePlugin["doomed"]>) {
          this.refuseTooMany(this.selectedPartitions(selector));
          return super.doomed(selector, request);
        }
      })(),
  }),
];

const hostMutants: readonly Mutant[] = [
  hostMutant({
    id: "namespace-controls-cleaned",
    defect: "control characters are dropped from a namespace instead of refused",
    check: "namespace/what-is-no-path-is-refused",
    names: /a store in the namespace/,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the defect
    bus: namespaceBecomes((namespace) => namespace.replaceAll(/[\u0000-\u001f\u007f]/g, "")),
  }),
  hostMutant({
    id: "namespace-stars-within",
    defect: "the text after /** in a namespace is ignored",
    check: "namespace/what-is-no-pattern-is-refused",
    names: /a retrieve in the namespace [^ ]*\/\*\*\//,
    bus: namespaceBecomes((namespace) => namespace.replace(/\/\*\*\/.*$/, "/**")),
  }),
  hostMutant({
    id: "namespace-absent-reads-all",
    defect: "a retrieve without namespace reads the agent's own namespace, but a store without one does not",
    check: "namespace/absent-is-default",
    names: /total of a retrieve without namespace/,
    bus: (bus) =>
      rewriteRequests(bus, (fields, { subject }) =>
        fields.type === "memory/retrieve/req"
          ? { ...fields, namespace: fields.namespace ?? subject.split(".")[2]! }
          : fields,
      ),
  }),
];

export const namespaceMutants: readonly Mutant[] = [...pluginMutants, ...hostMutants];
