import {
  MemoryError,
  type Scope,
  type ScopeSelector,
  scopeId,
  selectsScope,
  systemClock,
} from "@membus/protocol";
import { rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";

const PARTITIONS_MAX = 256;

/** The reference plugin, which takes namespaces for the same where `spelt` gives the same. */
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

/** The reference plugin, whose subtrees hold the namespaces that `holds` says. */
function subtrees(holds: (root: string, namespace: string) => boolean): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override selects(selector: ScopeSelector, scope: Scope) {
      if (!selector.subtree) return super.selects(selector, scope);
      const isSame = selectsScope({ ...selector, namespace: "" }, { ...scope, namespace: "" });
      return isSame && holds(selector.namespace, scope.namespace);
    }
  })();
}

/** A host that reads another namespace than was sent. */
function namespaceBecomes(change: (namespace: string) => string) {
  return (bus: Parameters<typeof rewriteRequests>[0]) =>
    rewriteRequests(bus, (fields) =>
      typeof fields.namespace === "string" ? { ...fields, namespace: change(fields.namespace) } : fields,
    );
}

const isBelow = (root: string, namespace: string) => namespace.startsWith(`${root}/`);

const pluginMutants: readonly Mutant[] = [
  pluginMutant({
    id: "namespace-ignored",
    defect: "all namespaces are one",
    check: "namespace/names-are-kept-apart",
    names: /contents of a retrieve in the namespace/,
    createPlugin: () => spelling(() => "one"),
  }),
  pluginMutant({
    id: "namespace-without-case",
    defect: "namespaces that differ only in case are the same, as files are on some systems",
    check: "namespace/names-are-kept-apart",
    names: /contents of a retrieve in the namespace "[^"]*\/a"/,
    createPlugin: () => spelling((namespace) => namespace.toLowerCase()),
  }),
  pluginMutant({
    id: "namespace-trimmed",
    defect: "spaces around the name of a namespace are cut off",
    check: "namespace/names-are-kept-apart",
    names: /contents of a retrieve in the namespace "[^"]*\/a"/,
    createPlugin: () => spelling((namespace) => namespace.replaceAll(/ *(\/|$) */g, "$1")),
  }),
  pluginMutant({
    id: "namespace-normalised",
    defect: "the characters of a namespace are brought into the composed form of Unicode",
    check: "namespace/names-are-kept-apart",
    names: /contents of a retrieve in the namespace "[^"]*\/ä"/,
    createPlugin: () => spelling((namespace) => namespace.normalize("NFC")),
  }),
  pluginMutant({
    id: "namespace-first-segment-alone",
    defect: "of a namespace only the first segment counts",
    check: "namespace/one-is-not-its-subtree",
    names: /entries of a namespace that has one (below|above) it/,
    createPlugin: () => spelling((namespace) => namespace.split("/")[0]!),
  }),
  pluginMutant({
    id: "namespace-read-as-subtree",
    defect: "a read of one namespace also finds what is below it",
    check: "namespace/one-is-not-its-subtree",
    names: /entries of a namespace that has one below it/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override selects(selector: ScopeSelector, scope: Scope) {
          return super.selects({ ...selector, subtree: true }, scope);
        }
      })(),
  }),
  pluginMutant({
    id: "namespace-forgotten-as-subtree",
    defect: "a forget of one namespace also deletes what is below it",
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
    id: "namespace-subtree-by-prefix",
    defect: "a subtree is found by how names begin, so that a/** holds ab",
    check: "namespace/subtree-holds-itself-and-below",
    names: /namespaces that a read of a_b\/\*\* finds/,
    createPlugin: () => subtrees((root, namespace) => namespace.startsWith(root)),
  }),
  pluginMutant({
    id: "namespace-subtree-without-itself",
    defect: "a subtree does not hold the namespace that it begins at",
    check: "namespace/subtree-holds-itself-and-below",
    names: /namespaces that a read of a_b\/\*\* finds/,
    createPlugin: () => subtrees(isBelow),
  }),
  pluginMutant({
    id: "namespace-subtree-of-one-level",
    defect: "a subtree ends one level below where it begins",
    check: "namespace/subtree-holds-itself-and-below",
    names: /namespaces that a read of a_b\/\*\* finds/,
    createPlugin: () =>
      subtrees((root, namespace) => {
        const below = namespace.slice(root.length + 1);
        return namespace === root || (isBelow(root, namespace) && !below.includes("/"));
      }),
  }),
  pluginMutant({
    id: "namespace-subtree-as-like",
    defect: "_ in the name of a subtree stands for any character, and case does not count",
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
    defect: "a read of a subtree touches as many partitions as there are",
    check: "namespace/subtree-read-of-256-partitions",
    names: /a read of a subtree with an entry in each of 257 namespaces/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override refuseTooMany() {}
      })(),
  }),
  pluginMutant({
    id: "namespace-subtree-cut",
    defect: "a read of a subtree looks at its first 256 partitions and passes over the others",
    check: "namespace/subtree-read-of-256-partitions",
    names: /a read of a subtree with an entry in each of 257 namespaces/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override selectedPartitions(selector: ScopeSelector): Partition[] {
          return super.selectedPartitions(selector).slice(0, PARTITIONS_MAX);
        }
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
    defect: "a forget of a subtree deletes in its first 256 partitions alone",
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
    defect: "a forget of a subtree is bounded as a read is",
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
  pluginMutant({
    id: "namespace-forget-answered-early",
    defect:
      "a forget of a subtree is answered with the count when the first partition is done, and goes on behind it",
    check: "namespace/forget-of-a-subtree-reaches-all",
    names: /after a forget of a\/\*\* was answered/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
          const count = this.doomed(selector, request).length;
          systemClock.after(200, () => void super.forgetAll(selector, request), { background: true });
          return this.result(count, request.op);
        }
      })(),
  }),
];

const hostMutants: readonly Mutant[] = [
  hostMutant({
    id: "namespace-slashes-cleaned",
    defect: "slashes too many are taken out of a namespace instead of refused",
    check: "namespace/what-is-no-path-is-refused",
    names: /a store in the namespace "\/|a store in the namespace "[^"]*\/"/,
    bus: namespaceBecomes((namespace) => namespace.split("/").filter(Boolean).join("/") || "default"),
  }),
  hostMutant({
    id: "namespace-controls-cleaned",
    defect: "control characters are taken out of a namespace instead of refused",
    check: "namespace/what-is-no-path-is-refused",
    names: /a store in the namespace/,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the defect
    bus: namespaceBecomes((namespace) => namespace.replaceAll(/[\u0000-\u001f\u007f]/g, "")),
  }),
  hostMutant({
    id: "namespace-cut-to-length",
    defect: "a segment of a namespace is cut to 64 characters instead of refused",
    check: "namespace/what-is-no-path-is-refused",
    names: /a store in the namespace "[^"]*x{65}"/,
    bus: namespaceBecomes((namespace) =>
      namespace
        .split("/")
        .map((segment) => segment.slice(0, 64))
        .join("/"),
    ),
  }),
  hostMutant({
    id: "namespace-seven-segments",
    defect: "a namespace of exactly 8 segments is refused",
    check: "namespace/what-is-no-path-is-refused",
    names: /schema_violation/,
    bus: namespaceBecomes((namespace) => (namespace.split("/").length === 8 ? `${namespace}/9` : namespace)),
  }),
  hostMutant({
    id: "namespace-one-star",
    defect: "a/* is taken for a/**",
    check: "namespace/what-is-no-pattern-is-refused",
    names: /a retrieve in the namespace [^ ]*\/\*/,
    bus: namespaceBecomes((namespace) => namespace.replace(/([^*])\/\*$/, "$1/**")),
  }),
  hostMutant({
    id: "namespace-stars-within",
    defect: "what follows /** in a namespace is ignored",
    check: "namespace/what-is-no-pattern-is-refused",
    names: /a retrieve in the namespace [^ ]*\/\*\*\//,
    bus: namespaceBecomes((namespace) => namespace.replace(/\/\*\*\/.*$/, "/**")),
  }),
  hostMutant({
    id: "namespace-default-is-empty",
    defect: "a request without namespace concerns a namespace of another name than `default`",
    check: "namespace/absent-is-default",
    names: /namespace of the entries found in the namespace `default`/,
    bus: (bus) => rewriteRequests(bus, (fields) => ({ ...fields, namespace: fields.namespace ?? "main" })),
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
