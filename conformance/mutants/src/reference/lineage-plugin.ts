import { LIMITS, MemoryError, type ScopeSelector } from "@membus/protocol";
import type { PluginForgetRequest, PluginForgetResult } from "@membus/protocol/plugin";
import { DurablePlugin } from "./durable-plugin.js";
import type { ReferencePlugin } from "./reference-plugin.js";
import type { Row } from "./row.js";

type Bound = "cascadeSelected" | "cascadeDerived" | "cascadeLevels";

/** The durable reference plugin with sources of entries and cascades. */
export class LineagePlugin extends DurablePlugin {
  /** Results of cascades by their operations. */
  readonly #cascaded = new Map<string, readonly number[]>();

  protected override features() {
    return { ...super.features(), sources: true, cascade: true };
  }

  protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>): Row {
    const { sources: _, ...row } = super.merge(item, previous, context);
    const sources = item.sources === undefined ? previous?.sources : item.sources;
    return sources?.length ? { ...row, sources } : row;
  }

  protected override doomed(selector: ScopeSelector, request: PluginForgetRequest): Row[] {
    const selected = super.doomed(selector, request);
    if (!request.cascade) return selected;
    this.bound("cascadeSelected", selected.length);
    const levels = this.levels(this.own(selector), selected, request);
    this.#cascaded.set(
      this.operationKey(request.op),
      levels.map(({ length }) => length),
    );
    return [...selected, ...levels.flat()];
  }

  protected override result(...[deleted, op]: Parameters<ReferencePlugin["result"]>): PluginForgetResult {
    const cascaded = this.#cascaded.get(this.operationKey(op));
    return { ...super.result(deleted, op), ...(cascaded && { cascaded }) };
  }

  /** Returns the rows that a cascade searches: all rows of the caller. */
  protected own({ tier, tenant, agent, session }: ScopeSelector): Row[] {
    const isOwn = ({ scope }: { readonly scope: Row["scope"] }) =>
      scope.tier === tier && scope.tenant === tenant && scope.agent === agent && scope.session === session;
    const rows = [...this.partitions.values()]
      .filter(isOwn)
      .flatMap((partition) => [...partition.rows.values()]);
    return rows.filter((row) => !this.isOver(row));
  }

  /** Returns the derived rows level by level (clauses CASC-1 and CASC-2). */
  protected levels(own: readonly Row[], selected: readonly Row[], { op }: PluginForgetRequest): Row[][] {
    const levels: Row[][] = [];
    const deletedHashes = new Set(selected);
    const named = new Set<Row>();
    for (let last = selected; last.length > 0; ) {
      const hashes = new Set(last.map(({ key_hash }) => key_hash));
      const left = new Set(own.filter((row) => !deletedHashes.has(row)).map(({ key_hash }) => key_hash));
      const derived = own.filter(
        (row) => !deletedHashes.has(row) && this.names(row, hashes) && this.mayTake(row, op),
      );
      for (const row of derived) named.add(row);
      this.bound("cascadeDerived", named.size);
      const level = derived.filter((row) => !this.hasSourceLeft(row, left));
      if (level.length > 0) this.bound("cascadeLevels", levels.push(level));
      for (const row of level) deletedHashes.add(row);
      last = level;
    }
    return levels;
  }

  protected names({ sources = [] }: Row, hashes: ReadonlySet<string>): boolean {
    return sources.some((hash) => hashes.has(hash));
  }

  protected hasSourceLeft({ sources = [], key_hash }: Row, left: ReadonlySet<string>): boolean {
    return sources.some((hash) => hash !== key_hash && left.has(hash));
  }

  /** Returns whether an agent may delete a row. In the shared tier only its author may (clause CASC-3). */
  protected mayTake({ scope, author }: Row, { agent }: PluginForgetRequest["op"]): boolean {
    return scope.agent !== undefined || author === agent;
  }

  protected bound(limit: Bound, got: number): void {
    const max = LIMITS[limit];
    if (got > max) throw new MemoryError("too_large", "too many entries for a cascade", { limit, max, got });
  }
}
