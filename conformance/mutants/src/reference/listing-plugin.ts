import { fieldValue, type Json, type ListItem, MemoryError, type ScopeSelector } from "@membus/protocol";
import type { PluginListRequest, PluginListResult } from "@membus/protocol/plugin";
import { ReferencePlugin } from "./reference-plugin.js";
import type { Row } from "./row.js";

export type Value = ListItem["value"];

/** The reference plugin with lists. Each rule is a separate method. */
export class ListingPlugin extends ReferencePlugin {
  protected override features() {
    return { ...super.features(), list: true };
  }

  async onList(selector: ScopeSelector, request: PluginListRequest): Promise<PluginListResult> {
    this.sweep();
    this.refuseTooMany(this.selectedPartitions(selector));
    const listed = new Map<Value, Row[]>();
    for (const row of this.listedRows(selector, request)) {
      for (const value of this.valuesOf(row, request)) listed.set(value, [...(listed.get(value) ?? []), row]);
    }
    this.refuseTooManyValues(listed.size, request);
    return { items: [...listed].map(([value, rows]) => this.item(value, rows)) };
  }

  protected listedRows(selector: ScopeSelector, request: PluginListRequest): Row[] {
    return this.select(selector, request);
  }

  protected valuesOf(row: Row, { field }: PluginListRequest): readonly Value[] {
    if (field === undefined) return [row.scope.namespace];
    return this.valuesIn(fieldValue({ ...row, timestamps: row }, field));
  }

  /** Returns a scalar, or the distinct strings of a list (clause LIST-2). */
  protected valuesIn(value: Json | undefined): readonly Value[] {
    if (Array.isArray(value)) return [...new Set(value.filter((element) => typeof element === "string"))];
    return value === undefined || typeof value === "object" ? [] : [value];
  }

  protected item(value: Value, rows: readonly Row[]): ListItem {
    const newest = rows.reduce((latest, row) => Math.max(latest, row.occurred_at), 0);
    const bytes = rows.reduce((sum, row) => sum + this.bytesOf(row), 0);
    return { value, count: rows.length, newest, bytes };
  }

  protected bytesOf({ content, text, context }: Row): number {
    return Buffer.byteLength(JSON.stringify({ content, text, context }));
  }

  protected refuseTooManyValues(got: number, { values_max: max }: PluginListRequest): void {
    if (got > max) throw new MemoryError("too_large", "too many values", { limit: "listValues", max, got });
  }
}
