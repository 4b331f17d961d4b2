import {
  MemoryError,
  type Operation,
  type PluginManifest,
  type PluginStoreRequest,
  type PluginStoreResult,
  type Scope,
  type StoreItem,
} from "@membus/protocol";
import { ReferencePlugin } from "./reference-plugin.js";

type Refused = PluginStoreResult["errors"][number];

/** The reference plugin, which can be told to leave entries of other authors alone. */
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

  /** Why an entry is not stored over one of another author (clause PLUG-23). */
  protected refusalOfOthers({ agent }: Operation, item: StoreItem, scope: Scope): MemoryError | undefined {
    const author = this.previous(this.partition(scope), item)?.author ?? agent;
    return author === agent ? undefined : new MemoryError("unauthorized", "the entry is another agent's");
  }
}
