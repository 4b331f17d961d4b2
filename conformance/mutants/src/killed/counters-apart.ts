import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";

/** On a rewrite of the journal, overwrites the last revisions in a separate file. */
class CountersApartPlugin extends DurablePlugin {
  override async open(...[services]: Parameters<DurablePlugin["open"]>): Promise<void> {
    this.services = services;
    const text = existsSync(this.#path) ? readFileSync(this.#path, "utf8") : "";
    for (const { scope, revision } of text === "" ? [] : (JSON.parse(text) as JournalLine["lastRevisions"])) {
      this.replayRevision(scope, revision);
    }
    await super.open(services);
  }

  override async maintain(): Promise<void> {
    await super.maintain();
    this.rewrite();
  }

  protected override rewrite(): void {
    const { lastRevisions, ...line } = this.rewritten();
    this.journal.rewrite({ ...line, lastRevisions: [] });
    writeFileSync(this.#path, JSON.stringify(lastRevisions));
  }

  protected override nextRevision({ rows, lastRevision }: Parameters<DurablePlugin["nextRevision"]>[0]) {
    return Math.max(lastRevision, 0, ...[...rows.values()].map(({ revision }) => revision)) + 1;
  }

  get #path(): string {
    return join(this.services.dataDirectory!, "counters.json");
  }
}

export function createPlugin(): DurablePlugin {
  return new CountersApartPlugin();
}
