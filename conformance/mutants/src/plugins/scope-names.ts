import type { Scope, ScopeSelector } from "@membus/protocol";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";

/** The reference plugin that identifies partitions by a text of their scopes. */
function filedAs(text: (scope: Scope) => string): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override partitionKey(scope: Scope): string {
        return text(scope);
      }

      protected override selects(selector: ScopeSelector, scope: Scope): boolean {
        const { subtree, ...selected } = selector;
        return subtree ? super.selects(selector, scope) : text(selected) === text(scope);
      }
    })();
}

/** The reference plugin that changes one name in a scope. */
function naming(field: "tenant" | "agent" | "session" | "namespace", change: (name: string) => string) {
  return filedAs((scope) => JSON.stringify([...fieldsOf({ ...scope, [field]: change(scope[field] ?? "") })]));
}

function fieldsOf({ tenant, agent = "", session = "", namespace }: Scope): readonly string[] {
  return [tenant, agent, session, namespace];
}

/** The reference plugin with forgets that cover other partitions. */
function forgettingWhere(reaches: (selector: ScopeSelector, scope: Scope) => boolean): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override doomed(...[selector, request]: Parameters<ReferencePlugin["doomed"]>) {
        const reached = [...this.partitions.values()].filter(({ scope }) => reaches(selector, scope));
        return reached.flatMap(({ scope }: Partition) => this.select({ ...scope, subtree: false }, request));
      }
    })();
}

/** Compares like an SQL LIKE without escaping. */
function isLike(text: string, pattern: string): boolean {
  const quoted = pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${quoted.replaceAll("%", ".*").replaceAll("_", ".")}$`, "su").test(text);
}

function isOfCaller(selector: ScopeSelector, { tenant, agent, session }: Scope): boolean {
  return selector.tenant === tenant && selector.agent === agent && selector.session === session;
}

/** Returns a file name, truncated at the maximum length of a file system. */
function asFile(name: string): string {
  return Buffer.from(encodeURIComponent(name)).subarray(0, 255).toString();
}

const likeMutants: readonly Mutant[] = [
  pluginMutant({
    id: "scope-agents-without-case",
    defect: "the column of agents is compared without case",
    check: "scope/agents-of-like-names-are-apart",
    names: /outcome of a store by \{"named":\{"agent":"(BOB|Bob|bob)"\}\}/,
    tier: "episodic",
    createPlugin: naming("agent", (name) => name.toLowerCase()),
  }),
  pluginMutant({
    id: "scope-agents-as-numbers",
    defect: "agents with numeric names are stored as numbers",
    check: "scope/agents-of-like-names-are-apart",
    names: /outcome of a store by \{"named":\{"agent":"(1|01|1\.0|1e0)"\}\}/,
    tier: "episodic",
    createPlugin: naming("agent", (name) => (/^\d[\d.e]*$/.test(name) ? String(Number(name)) : name)),
  }),
  pluginMutant({
    id: "scope-agents-cut",
    defect: "the column of agents has 190 bytes",
    check: "scope/agents-of-like-names-are-apart",
    names: /outcome of a store by \{"named":\{"agent":"(x{191}|\u8a18{63}12)/,
    createPlugin: naming("agent", (name) => Buffer.from(name).subarray(0, 190).toString("latin1")),
  }),
  pluginMutant({
    id: "scope-sessions-trimmed",
    defect: "spaces around a session are dropped",
    check: "scope/sessions-of-like-names-are-apart",
    names: /outcome of a store by \{"session":" ?bob ?"\}/,
    createPlugin: naming("session", (name) => name.trim()),
  }),
  pluginMutant({
    id: "scope-session-default",
    defect: "the empty session is stored under a valid session name",
    check: "scope/sessions-of-like-names-are-apart",
    names: /outcome of a store by \{"session":"(default)?"\}/,
    createPlugin: naming("session", (name) => name || "default"),
  }),
  pluginMutant({
    id: "scope-namespaces-as-slugs",
    defect: "a namespace becomes the name of a table, of letters, digits and underscores",
    check: "scope/namespaces-of-like-names-are-apart",
    names: /outcome of a store by \{"below":/,
    tier: "semantic",
    createPlugin: naming("namespace", (name) => name.replaceAll(/[^\p{L}\p{N}/]/gu, "_")),
  }),
  pluginMutant({
    id: "scope-namespaces-cut-to-files",
    defect: "a namespace becomes a file name, truncated at 255 bytes",
    check: "scope/namespaces-of-like-names-are-apart",
    names: /outcome of a store by \{"below":"(x{64}|\u8a18{64}|\u{1F98A}{32})\//u,
    tier: "episodic",
    createPlugin: naming("namespace", asFile),
  }),
  pluginMutant({
    id: "scope-namespaces-resolved",
    defect: "a namespace is a path of directories, in which `..` is the parent",
    check: "scope/namespaces-of-like-names-are-apart",
    names: /outcome of a store by \{"below":/,
    createPlugin: naming("namespace", (name) => new URL(name, "file:///").pathname),
  }),
  pluginMutant({
    id: "scope-forgets-with-like",
    defect: "a forget compares namespaces with LIKE",
    check: "scope/namespaces-of-like-names-are-apart",
    names: /deleted by \{"below":/,
    createPlugin: forgettingWhere(
      (selector, scope) => isOfCaller(selector, scope) && isLike(scope.namespace, selector.namespace),
    ),
  }),
  pluginMutant({
    id: "scope-tenants-by-prefix",
    defect: "a forget covers every tenant with a name that begins with the caller's",
    check: "scope/tenants-of-like-names-are-apart",
    names: /deleted by \{"named":\{"tenant":/,
    tier: "semantic",
    createPlugin: forgettingWhere(
      ({ tenant, namespace }, scope) => scope.tenant.startsWith(tenant) && scope.namespace === namespace,
    ),
  }),
  pluginMutant({
    id: "scope-tenants-as-databases",
    defect: "each tenant is a database, with a name that ignores case and dashes",
    check: "scope/tenants-of-like-names-are-apart",
    names: /outcome of a store by \{"named":\{"tenant":/,
    tier: "episodic",
    createPlugin: naming("tenant", (name) => name.toLowerCase().replaceAll("-", "_")),
  }),
];

const joinedMutants: readonly Mutant[] = [
  pluginMutant({
    id: "scope-joined-by-colons",
    defect: "the key of a partition is its names joined with colons",
    check: "scope/agents-join-no-other-name",
    names: /outcome of a store by \{.*"s::?check\/p"/,
    tier: "episodic",
    createPlugin: filedAs((scope) => fieldsOf(scope).join(":")),
  }),
  pluginMutant({
    id: "scope-namespace-before-agent",
    defect: "the name of a directory is the namespace and the agent joined with two dashes",
    check: "scope/agents-join-no-other-name",
    names: /outcome of a store by \{.*--/,
    tier: "episodic",
    createPlugin: filedAs(({ tenant, namespace, agent }) =>
      JSON.stringify([tenant, `${namespace}--${agent}`]),
    ),
  }),
  pluginMutant({
    id: "scope-hashed-without-delimiter",
    defect: "agent and session are hashed one after the other",
    check: "scope/agents-join-no-other-name",
    names: /outcome of a store by \{"named":\{"agent":"(a|ab|yz|z)"\},"session":/,
    createPlugin: filedAs((scope) =>
      JSON.stringify([scope.tenant, `${scope.agent}${scope.session}`, scope.namespace]),
    ),
  }),
  pluginMutant({
    id: "scope-tables-of-tenants",
    defect: "the name of a table is the tenant, an underscore and the namespace",
    check: "scope/tenants-join-no-other-name",
    names: /outcome of a store by \{"named":\{"tenant":"(a_b|a)"/,
    tier: "semantic",
    createPlugin: filedAs(({ tenant, namespace }) => `${tenant}_${namespace}`),
  }),
  pluginMutant({
    id: "scope-tenant-in-the-agent",
    defect: "agents of tenants are one list of names: the tenant, a dash and the agent",
    check: "scope/tenants-join-no-other-name",
    names: /outcome of a store by \{"named":\{"tenant":"(a-b|a)"/,
    tier: "episodic",
    createPlugin: filedAs(({ tenant, agent, namespace }) =>
      JSON.stringify([`${tenant}-${agent}`, namespace]),
    ),
  }),
];

type OperationKey = Parameters<ReferencePlugin["operationKey"]>[0];

/** The reference plugin that identifies operations by this text. */
function rememberingAs(text: (op: OperationKey) => string): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override operationKey(op: OperationKey): string {
        return text(op);
      }
    })();
}

/** The reference plugin that reports changed scopes of deleted entries. */
function reportingIn(change: (scope: Scope) => Scope): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override report(...[row, ...more]: Parameters<ReferencePlugin["report"]>) {
        super.report({ ...row, scope: change(row.scope) }, ...more);
      }
    })();
}

const reportedScopeMutants: readonly Mutant[] = [
  pluginMutant({
    id: "retry-ids-without-case",
    defect: "operations are remembered under the agent's name in lower case",
    check: "retry/ids-of-agents-of-like-names",
    names: /(a status by "Bob"|codes of the first store of "Bob")/,
    createPlugin: rememberingAs(({ tenant, agent, id }) => JSON.stringify([tenant, agent.toLowerCase(), id])),
  }),
  pluginMutant({
    id: "retry-ids-of-words",
    defect: "operations are stored in a directory named after the letters and digits of the agent",
    check: "retry/ids-of-agents-of-like-names",
    names: /a status by "/,
    tier: "semantic",
    createPlugin: rememberingAs(({ tenant, agent, id }) =>
      JSON.stringify([tenant, agent.replaceAll(/\W/g, "-"), id]),
    ),
  }),
  pluginMutant({
    id: "notify-names-a-normal-form",
    defect: "deleted entries are reported with the composed Unicode form of their namespace",
    check: "notify/names-whose-and-where-exactly",
    names: /scope, author and agent of forgotten entries/,
    createPlugin: reportingIn((scope) => ({ ...scope, namespace: scope.namespace.normalize("NFC") })),
  }),
  pluginMutant({
    id: "notify-names-read-from-a-path",
    defect: "deleted entries are reported with an agent decoded from an escaped name",
    check: "notify/names-whose-and-where-exactly",
    names: /scope, author and agent of forgotten entries/,
    tier: "episodic",
    createPlugin: reportingIn((scope) => ({ ...scope, agent: `${scope.agent}`.replaceAll("%2F", "/") })),
  }),
  pluginMutant({
    id: "namespace-subtrees-with-like",
    defect: "a forget of a subtree compares with LIKE, where `_` and `%` are wildcards",
    check: "namespace/forget-of-a-subtree-leaves-like-names",
    names: /`deleted` of a forget of (b_b|_|%|b%b)\/\*\*/,
    createPlugin: forgettingWhere(
      (selector, scope) =>
        isOfCaller(selector, scope) &&
        (scope.namespace === selector.namespace ||
          (selector.subtree && isLike(scope.namespace, `${selector.namespace}/%`))),
    ),
  }),
  pluginMutant({
    id: "namespace-subtrees-without-case",
    defect: "a forget of a subtree compares paths without case",
    check: "namespace/forget-of-a-subtree-leaves-like-names",
    names: /`deleted` of a forget of (bob|con)\/\*\*/,
    createPlugin: forgettingWhere((selector, scope) => {
      const [root, path] = [selector.namespace.toLowerCase(), scope.namespace.toLowerCase()];
      const isBelow = selector.subtree ? `${path}/`.startsWith(`${root}/`) : false;
      return isOfCaller(selector, scope) && (isBelow || selector.namespace === scope.namespace);
    }),
  }),
  hostMutant({
    id: "cursor-goes-on-without-case",
    defect: "cursors compare agents without case",
    check: "cursor/gives-agents-of-like-names-nothing",
    names: /entries of others that "B(ob|OB)" gets by a cursor/,
    plugins: {
      working: () =>
        new (class extends ReferencePlugin {
          #goesOn = false;

          protected override async find(...[selector, request]: Parameters<ReferencePlugin["find"]>) {
            this.#goesOn = request.after !== undefined;
            return super.find(selector, request);
          }

          protected override selects(selector: ScopeSelector, scope: Scope): boolean {
            if (!this.#goesOn) return super.selects(selector, scope);
            const lower = (name: string | undefined) => name?.toLowerCase() ?? "";
            const agent = lower(selector.agent) === lower(scope.agent) ? scope.agent! : selector.agent!;
            return super.selects({ ...selector, agent }, scope);
          }
        })(),
    },
  }),
];

/** Mutants that confuse similar names. */
export const scopeNameMutants: readonly Mutant[] = [
  ...likeMutants,
  ...joinedMutants,
  ...reportedScopeMutants,
];
