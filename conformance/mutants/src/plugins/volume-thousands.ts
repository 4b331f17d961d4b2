import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { Journal } from "../reference/journal.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

const LARGE = "volume/more-than-ten-thousand";

/** A journal that reads only its last lines. */
class ShortJournal extends Journal<JournalLine> {
  override read(): JournalLine[] {
    return super.read().slice(-1_000);
  }

  /** Keeps the lines, as a journal does that is only cut by maintenance. */
  override rewrite(): void {}
}

export const volumeThousandsMutants: readonly Mutant[] = [
  pluginMutant({
    id: "volume-counts-to-ten-thousand",
    defect: "a total is counted up to 10,000 and reported as exact",
    check: LARGE,
    names: /total by \{\} with limit 0/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...args: Parameters<ReferencePlugin["page"]>) {
          const page = super.page(...args);
          return { ...page, total: Math.min(page.total, 10_000) };
        }
      })(),
  }),
  pluginMutant({
    id: "volume-full-at-five-thousand",
    defect: "a tier with 5,000 entries acknowledges further ones and does not keep them",
    check: LARGE,
    names: /total by \{\} with limit 0/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override storeOne(...[partition, item, op]: Parameters<ReferencePlugin["storeOne"]>) {
          const isFull = partition.rows.size >= 5_000;
          const fate = super.storeOne(partition, item, op);
          if (isFull) partition.rows.delete(this.rowKey(item));
          return fate;
        }
      })(),
  }),
  pluginMutant({
    id: "volume-counts-apart-from-listing",
    defect: "a page of entries counts at most the 10,000 entries that its query reads, a count does not",
    check: LARGE,
    names: /total of a page of the oldest 50/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          const page = super.page(found, request);
          return request.limit === 0 ? page : { ...page, total: Math.min(page.total, 10_000) };
        }
      })(),
  }),
  pluginMutant({
    id: "volume-forgets-ten-thousand",
    defect: "a forget deletes at most 10,000 entries",
    check: LARGE,
    names: /`deleted` of a dry run of a forget/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override doomed(...args: Parameters<ReferencePlugin["doomed"]>) {
          return super.doomed(...args).slice(0, 10_000);
        }
      })(),
  }),
  pluginMutant({
    id: "volume-replays-the-last-thousand",
    defect: "only the last 1,000 lines of the journal are read at the start",
    check: "volume/many-operations-survive-reopen",
    names: /numbers after 1050 single stores/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override openJournal(directory: string): Journal<JournalLine> {
          return new ShortJournal(directory);
        }
      })(),
  }),
  pluginMutant({
    id: "volume-remembers-the-last-thousand",
    defect: "only the results of the last 1,000 operations are stored",
    check: "volume/many-operations-survive-reopen",
    names: /the result of store 0, repeated after all these/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override rewritten(): JournalLine {
          const line = super.rewritten();
          return { ...line, operations: line.operations.slice(-1_000) };
        }
      })(),
  }),
];
