import { DurablePlugin } from "./durable-plugin.js";
import type { ReferencePlugin } from "./reference-plugin.js";
import type { Row } from "./row.js";

/** The durable reference plugin, which forgets vectors of another embedder, and embeds such entries when it needs to. */
export class GenerationsPlugin extends DurablePlugin {
  protected override features() {
    return { ...super.features(), generations: true };
  }

  protected override merge(...args: Parameters<ReferencePlugin["merge"]>): Row {
    return { ...super.merge(...args), embedder: this.services.embedder?.id };
  }

  protected override replayRow(row: Row): void {
    super.replayRow(row.embedder === this.services.embedder?.id ? row : this.outdated(row));
  }

  protected outdated({ vector: _, givenVector: _given, ...row }: Row): Row {
    return { ...row, embedder: this.services.embedder?.id };
  }
}
