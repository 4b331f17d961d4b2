import { MemoryError, type ScopeSelector } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { DurablePlugin } from "./durable-plugin.js";
import type { ReferencePlugin } from "./reference-plugin.js";
import type { Found, Row } from "./row.js";

/**
 * The durable reference plugin with support for a change of the embedder (clauses RET-40 and RET-41).
 *
 * It drops vectors of another embedder and embeds these entries on demand. Until then it answers by words.
 */
export class GenerationsPlugin extends DurablePlugin {
  protected override features() {
    return { ...super.features(), generations: true };
  }

  protected override merge(...args: Parameters<ReferencePlugin["merge"]>): Row {
    return { ...super.merge(...args), embedder: this.services.embedder?.id };
  }

  protected override replayRow(row: Row): void {
    super.replayRow(this.isOfAnother(row) ? this.outdated(row) : row);
  }

  protected outdated({ vector: _, givenVector: _given, ...row }: Row): Row {
    return row;
  }

  override async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest) {
    if (this.asksVectors(request)) await this.embedPending(selector);
    const found = await super.onRetrieve(selector, request);
    return this.areWordsLeft(selector, request) ? { ...found, degraded: this.reindexing() } : found;
  }

  protected reindexing(): MemoryError {
    return new MemoryError("unavailable", "entries are being reembedded", { reason: "reindex" });
  }

  protected override async find(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<Found[]> {
    if (!this.areWordsLeft(selector, request)) return super.find(selector, request);
    return request.mode === "vector" ? [] : super.find(selector, { ...request, mode: "text" });
  }

  /** Returns whether only words may answer a request that also uses vectors. */
  protected areWordsLeft(selector: ScopeSelector, request: PluginRetrieveRequest): boolean {
    return this.asksVectors(request) && this.rowsOf(selector).some((row) => this.isOfAnother(row));
  }

  protected asksVectors({ query, embedding, mode }: PluginRetrieveRequest): boolean {
    return query !== undefined && embedding === undefined && mode !== "text";
  }

  protected override async embedPending(selector: ScopeSelector): Promise<void> {
    await super.embedPending(selector);
    for (const row of this.rowsOf(selector)) {
      if (row.vector !== undefined) row.embedder = this.services.embedder?.id;
    }
  }

  protected rowsOf(selector: ScopeSelector): Row[] {
    return this.selectedPartitions(selector).flatMap(({ rows }) => [...rows.values()]);
  }

  protected isOfAnother({ embedder }: Row): boolean {
    return embedder !== this.services.embedder?.id;
  }
}
