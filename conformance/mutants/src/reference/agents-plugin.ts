import type { PluginAgentsRequest, PluginAgentsResult } from "@membus/protocol/plugin";
import { DurablePlugin } from "./durable-plugin.js";
import type { Row } from "./row.js";

/** The durable plugin with lists of agents. Each rule is a separate method. */
export class AgentsPlugin extends DurablePlugin {
  protected override features() {
    return { ...super.features(), agents: true };
  }

  async onAgents({ tenant, after, limit }: PluginAgentsRequest): Promise<PluginAgentsResult> {
    const rows = [...this.partitions.values()].flatMap((partition) => [...partition.rows.values()]);
    const names = this.namesOf(rows.filter(({ scope }) => this.isOf(tenant, scope)));
    const following = this.sorted(names).filter((name) => after === undefined || this.follows(name, after));
    return { agents: this.cut(following, limit) };
  }

  protected namesOf(rows: readonly Row[]): readonly string[] {
    return [...new Set(rows.flatMap(({ scope }) => scope.agent ?? []))];
  }

  protected isOf(tenant: string, scope: Row["scope"]): boolean {
    return scope.tenant === tenant;
  }

  protected sorted(names: readonly string[]): string[] {
    return names.toSorted();
  }

  protected follows(name: string, after: string): boolean {
    return name > after;
  }

  protected cut(names: readonly string[], limit: number): readonly string[] {
    return names.slice(0, limit);
  }
}
