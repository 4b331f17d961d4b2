import { delay, type Scope, systemClock } from "@membus/protocol";
import type { PluginStoreRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { OwningPlugin } from "../reference/owning-plugin.js";

export const storeOwnMutants: readonly Mutant[] = [
  pluginMutant({
    id: "store-own-only-refuses-changes-alone",
    defect: "a store with own_only over another agent's entry is reported as unchanged",
    check: "store/own-only-leaves-entries-of-others",
    names: /result of a store by .* over an entry of/,
    createPlugin: () =>
      new (class extends OwningPlugin {
        protected override refusalOfOthers(
          ...[op, item, scope]: Parameters<OwningPlugin["refusalOfOthers"]>
        ) {
          const isSame = this.previous(this.partition(scope), item)?.content === item.content;
          return isSame ? undefined : super.refusalOfOthers(op, item, scope);
        }
      })(),
  }),
  pluginMutant({
    id: "store-own-only-looks-then-writes",
    defect: "the author of an entry is checked before the store, but not when it is written",
    check: "store/own-only-when-stored-at-once",
    names: /winners among four agents that store a new key with own_only concurrently/,
    createPlugin: () =>
      new (class extends OwningPlugin {
        protected override async storeAll(scope: Scope, request: PluginStoreRequest) {
          const { own_only, ...plain } = request;
          const isOwn = request.entries.every((item) => !this.refusalOfOthers(request.op, item, scope));
          if (!own_only || !isOwn) return super.storeAll(scope, request);
          await delay(systemClock, 5);
          return super.storeAll(scope, plain);
        }
      })(),
  }),
];
