import type { Clock, Criteria, MemoryEntry } from "@membus/protocol";
import type {
  MemoryPlugin,
  PluginForgetResult,
  PluginRetrieveResult,
  PluginStoreResult,
} from "@membus/protocol/plugin";
import {
  forgetRequest,
  type OperationFields,
  retrieveRequest,
  type ScopeFields,
  scope,
  selector,
  storeRequest,
  type TestRetrieve,
  type TestStoreEntry,
} from "./kit-requests.js";

export interface Target {
  readonly plugin: MemoryPlugin;
  readonly clock: Clock;
}

export interface StoreFields extends ScopeFields {
  readonly id?: string;
  readonly ack?: "stored" | "queued";
}

export interface ForgetFields extends ScopeFields {
  readonly id?: string;
  readonly cascade?: true;
  readonly purge?: true;
  readonly dryRun?: boolean;
}

/** Requests of one scope, completed as a host would complete them. */
export function calls(target: Target, fields: ScopeFields = {}) {
  const { agent = "alice", tenant = "acme" } = fields;
  const op = (id: string | undefined): OperationFields => {
    return { at: target.clock.now(), agent, tenant, ...(id === undefined ? {} : { id }) };
  };
  const retrieve = (request: TestRetrieve = {}, place: ScopeFields = {}): Promise<PluginRetrieveResult> =>
    target.plugin.onRetrieve(selector({ ...fields, ...place }), retrieveRequest(request));
  return {
    retrieve,
    async entry(key: TestStoreEntry["key"], request: TestRetrieve = {}): Promise<MemoryEntry | undefined> {
      return (await retrieve({ ...request, criteria: { keys: [key] } })).entries[0];
    },
    store(
      entries: readonly TestStoreEntry[],
      { id, ack, ...place }: StoreFields = {},
    ): Promise<PluginStoreResult> {
      return target.plugin.onStore(scope({ ...fields, ...place }), storeRequest(entries, op(id), ack));
    },
    forget(
      criteria: Criteria,
      { id, cascade, purge, dryRun, ...place }: ForgetFields = {},
    ): Promise<PluginForgetResult> {
      const asked = { ...(cascade && { cascade }), ...(purge && { purge }) };
      const request = { ...forgetRequest(criteria, op(id), dryRun), ...asked };
      return target.plugin.onForget(selector({ ...fields, ...place }), request);
    },
  };
}
