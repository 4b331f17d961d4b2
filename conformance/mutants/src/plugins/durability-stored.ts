import { type Scope, scopeId } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import type { Row } from "../reference/row.js";

/** Usual sizes of a batch and of a page. */
const [BATCH, PAGE] = [8_192, 100];

/** Reads only the first batch of each partition. */
class FirstBatch extends DurablePlugin {
  protected override replayRow(row: Row): void {
    if (this.partition(row.scope).rows.size < BATCH) super.replayRow(row);
  }
}

/** Reads only the first page of the partitions. */
class FirstPartitions extends DurablePlugin {
  readonly #read = new Set<string>();

  protected override replayRow(row: Row): void {
    const id = scopeId(row.scope);
    if (this.#read.size < PAGE) this.#read.add(id);
    if (this.#read.has(id)) super.replayRow(row);
  }
}

/** Reads at most 100 contents at a time, and drops entries without a content from a page. */
class FewContents extends DurablePlugin {
  readonly #stored = new Set<string>();

  protected override replayRow(row: Row): void {
    super.replayRow(row);
    this.#stored.add(row.key_hash);
  }

  override async onRetrieve(...[selector, request]: Parameters<DurablePlugin["onRetrieve"]>) {
    const result = await super.onRetrieve(selector, request);
    const stored = result.entries.filter(({ key_hash }) => this.#stored.has(key_hash));
    const left = new Set(stored.slice(PAGE));
    return { ...result, entries: result.entries.filter((entry) => !left.has(entry)) };
  }
}

/** Reads rows of scopes, and compares their names in another form. */
function named(form: (scope: Scope) => Partial<Scope>): () => DurablePlugin {
  return () =>
    new (class extends DurablePlugin {
      protected override replayRow(row: Row): void {
        super.replayRow({ ...row, scope: { ...row.scope, ...form(row.scope) } as Scope });
      }
    })();
}

const apart = (kind: string) =>
  new RegExp(`of \\d+ ${kind} of like names, those with other totals or contents`);

export const durabilityStoredMutants: readonly Mutant[] = [
  pluginMutant({
    id: "durability-stored-first-batch",
    defect: "only the first 8,192 entries of a partition are read from disk",
    check: "durability/large-partition-survives-reopen",
    names: /total of a page by newest, of 8250 entries/,
    tier: "episodic",
    createPlugin: () => new FirstBatch(),
  }),
  pluginMutant({
    id: "durability-stored-few-contents",
    defect: "at most 100 contents are read from disk at a time",
    check: "durability/large-partition-survives-reopen",
    names: /numbers of a page by newest, of 8250 entries/,
    tier: "episodic",
    createPlugin: () => new FewContents(),
  }),
  pluginMutant({
    id: "durability-stored-first-partitions",
    defect: "only the first 100 partitions are read from disk",
    check: "durability/many-partitions-survive-reopen",
    names: /of a subtree of 240 namespaces after maintenance, close and open/,
    tier: "episodic",
    createPlugin: () => new FirstPartitions(),
  }),
  pluginMutant({
    id: "durability-stored-namespaces-without-case",
    defect: "namespaces are stored in lower case",
    check: "durability/namespaces-of-like-names-survive-reopen",
    names: apart("namespaces"),
    tier: "episodic",
    createPlugin: named(({ namespace }) => ({ namespace: namespace.toLowerCase() })),
  }),
  pluginMutant({
    id: "durability-stored-agents-composed",
    defect: "names of agents are stored in a composed Unicode form",
    check: "durability/agents-of-like-names-survive-reopen",
    names: apart("agents"),
    tier: "episodic",
    createPlugin: named(({ agent }) => ({ agent: agent!.normalize("NFKC") })),
  }),
  pluginMutant({
    id: "durability-stored-tenants-without-case",
    defect: "names of tenants are stored in lower case",
    check: "durability/tenants-of-like-names-survive-reopen",
    names: apart("tenants"),
    tier: "episodic",
    createPlugin: named(({ tenant }) => ({ tenant: tenant.toLowerCase() })),
  }),
];
