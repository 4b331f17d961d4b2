import type { Scope } from "@membus/protocol";
import type { PluginAgentsRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { AgentsPlugin } from "../reference/agents-plugin.js";

const tier = "episodic";

export const agentsMutants: readonly Mutant[] = [
  pluginMutant({
    id: "agents-of-all-tenants",
    defect: "the agents of other tenants are listed too",
    check: "agents/each-with-entries-once",
    names: /agents of a tenant after a store in another tenant/,
    tier,
    createPlugin: () =>
      new (class extends AgentsPlugin {
        protected override isOf() {
          return true;
        }
      })(),
  }),
  pluginMutant({
    id: "agents-by-code-points",
    defect: "names are sorted by code points",
    check: "agents/each-with-entries-once",
    names: /agents of a tenant after stores of/,
    tier,
    createPlugin: () =>
      new (class extends AgentsPlugin {
        protected override sorted(names: readonly string[]) {
          return names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        }
      })(),
  }),
  pluginMutant({
    id: "agents-after-and-itself",
    defect: "the agent before the page is on the page again",
    check: "agents/each-with-entries-once",
    names: /agents after a\/b/,
    tier,
    createPlugin: () =>
      new (class extends AgentsPlugin {
        protected override follows(name: string, after: string) {
          return name >= after;
        }
      })(),
  }),
  pluginMutant({
    id: "agents-of-the-first-page",
    defect: "only the first 256 agents are found",
    check: "agents/hundreds-on-pages",
    names: /agents on each page of 128/,
    tier,
    createPlugin: () =>
      new (class extends AgentsPlugin {
        protected override sorted(names: readonly string[]) {
          return super.sorted(names).slice(0, 256);
        }
      })(),
  }),
  pluginMutant({
    id: "agents-that-ever-stored",
    defect: "an agent stays in the list after all its entries were forgotten",
    check: "agents/none-without-entries",
    names: /agents after a forget of all entries of one agent/,
    tier,
    createPlugin: () =>
      new (class extends AgentsPlugin {
        readonly #stored = new Set<string>();
        override async onStore(...asked: Parameters<AgentsPlugin["onStore"]>) {
          this.#stored.add(asked[0].agent!);
          return super.onStore(...asked);
        }
        protected override namesOf() {
          return [...this.#stored];
        }
      })(),
  }),
  pluginMutant({
    id: "agents-with-expired-entries",
    defect: "an agent with only expired entries stays in the list",
    check: "agents/none-with-only-expired-entries",
    names: /agents 2 s after stores with a ttl/,
    tier,
    createPlugin: () =>
      new (class extends AgentsPlugin {
        override async maintain() {}
      })(),
  }),
  pluginMutant({
    id: "agents-since-the-start",
    defect: "only agents that have stored since the start are listed",
    check: "agents/the-same-after-a-restart",
    names: /agents after a forget of one of 3, close and open/,
    tier,
    createPlugin: () =>
      new (class extends AgentsPlugin {
        readonly #seen = new Set<string>();
        override async onStore(scope: Scope, request: Parameters<AgentsPlugin["onStore"]>[1]) {
          this.#seen.add(scope.agent!);
          return super.onStore(scope, request);
        }
        override async onAgents(request: PluginAgentsRequest) {
          const { agents } = await super.onAgents(request);
          return { agents: agents.filter((name) => this.#seen.has(name)) };
        }
      })(),
  }),
];
