import type { MemoryEntry } from "@membus/protocol";
import type { PluginRetrieveResult } from "@membus/protocol/plugin";
import { type KitSetup, openMemoryKit } from "./kit-fixture.js";
import {
  retrieveRequest,
  scope,
  selector,
  storeRequest,
  type TestRetrieve,
  type TestStoreEntry,
} from "./kit-requests.js";

const WORKING = { tier: "working" } as const;

/** Returns a kit in memory with these entries. */
export async function kitWith(entries: readonly TestStoreEntry[], setup: KitSetup = {}) {
  const kit = await openMemoryKit(setup);
  const { plugin, clock } = kit;
  const store = (more: readonly TestStoreEntry[], namespace = "default") =>
    plugin.onStore(scope({ ...WORKING, namespace }), storeRequest(more, { at: clock.now() }));
  await store(entries);
  const find = (request: TestRetrieve, namespace = "default"): Promise<PluginRetrieveResult> => {
    const asked = retrieveRequest({ as_of: clock.now(), ...request });
    return plugin.onRetrieve(selector({ ...WORKING, namespace }), asked);
  };
  return { ...kit, store, find };
}

/** Returns the names of entries that have names as keys. */
export function names(entries: readonly { readonly key: MemoryEntry["key"] }[]): string[] {
  return entries.map(({ key }) => String(key.name));
}
