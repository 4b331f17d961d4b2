import { MemoryError, type Scope } from "@membus/protocol";
import type {
  Operation,
  PluginManifest,
  PluginStoreRequest,
  PluginStoreResult,
  StoreItem,
} from "@membus/protocol/plugin";
import { ReferencePlugin } from "./reference-plugin.js";

type Refused = PluginStoreResult["errors"][number];

/** The reference plugin with support for `own_only`. */
export class OwningPlugin extends ReferencePlugin {
  protected override features(): PluginManifest["features"] {
    return { ...super.features(), own_only: true };
  }

  protected override async storeAll(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult> {
    const { op, entries, own_only } = request;
    if (!own_only) return super.storeAll(scope, request);
    const refused = entries.flatMap((item): Refused[] => {
      const error = this.refusalOfOthers(op, item, scope);
      return error === undefined ? [] : [{ index: item.index, error }];
    });
    const isRefused = new Set(refused.map(({ index }) => index));
    const kept = entries.filter(({ index }) => !isRefused.has(index));
    const { receipts, errors } = await super.storeAll(scope, { ...request, entries: kept });
    return { receipts, errors: [...errors, ...refused] };
  }

  /** Returns the error of a store over another author's entry (clause PLUG-23). */
  protected refusalOfOthers({ agent }: Operation, item: StoreItem, scope: Scope): MemoryError | undefined {
    const author = this.previous(this.partition(scope), item)?.author ?? agent;
    return author === agent
      ? undefined
      : new MemoryError("unauthorized", "the entry belongs to another agent");
  }
}
