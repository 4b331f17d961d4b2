import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";

/** On a rewrite of the journal, overwrites the results in a separate file. */
class ResultsWrittenOverPlugin extends DurablePlugin {
  override async open(...[services]: Parameters<DurablePlugin["open"]>): Promise<void> {
    this.services = services;
    const text = existsSync(this.#path) ? readFileSync(this.#path, "utf8") : "";
    for (const line of text === "" ? [] : (JSON.parse(text) as JournalLine["operations"])) {
      this.replayOperation(line);
    }
    await super.open(services);
  }

  protected override rewrite(): void {
    const { operations, ...line } = this.rewritten();
    this.journal.rewrite({ ...line, operations: [] });
    writeFileSync(this.#path, JSON.stringify(operations));
  }

  get #path(): string {
    return join(this.services.dataDirectory!, "results.json");
  }
}

export function createPlugin(): DurablePlugin {
  return new ResultsWrittenOverPlugin();
}
