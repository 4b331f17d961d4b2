import { MemoryError, type ScopeSelector } from "@membus/protocol";
import {
  comparePositions,
  FEATURES,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  positionOf,
} from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { interceptEvents } from "./intercept.js";
import { betweenPlugins } from "./passing-plugin.js";

/** Repairs a broken page instead of refusing it. */
function repairing(
  repair: (
    page: PluginRetrieveResult,
    request: PluginRetrieveRequest,
    selector: ScopeSelector,
  ) => PluginRetrieveResult,
) {
  return betweenPlugins((inner) => ({
    async onRetrieve(selector, request) {
      const page = await inner.onRetrieve(selector, request);
      return Array.isArray(page?.entries) ? repair(page, request, selector) : page;
    },
  }));
}

const resultMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-cuts-long-pages",
    defect: "a page with more entries than the limit is cut instead of refused",
    check: "host-plugins/pages-are-checked",
    names: /after the plugin returned more entries than the limit/,
    parts: repairing((page, { limit }) => ({ ...page, entries: page.entries.slice(0, limit) })),
  }),
  hostMutant({
    id: "host-plugins-sorts-pages",
    defect: "a page in another order is sorted instead of refused",
    check: "host-plugins/pages-are-checked",
    names: /after the plugin returned the entries in another order/,
    parts: repairing((page, { order }) => ({
      ...page,
      entries: page.entries.toSorted((a, b) =>
        comparePositions(positionOf(a, order), positionOf(b, order), order),
      ),
    })),
  }),
  hostMutant({
    id: "host-plugins-takes-entries-of-other-namespaces",
    defect: "an entry of another namespace is returned under the requested one",
    check: "host-plugins/pages-are-checked",
    names: /after the plugin returned an entry of another namespace/,
    parts: repairing((page, _, { namespace }) => ({
      ...page,
      entries: page.entries.map((entry) => ({ ...entry, namespace })),
    })),
  }),
  hostMutant({
    id: "host-plugins-drops-entries-that-do-not-match",
    defect: "an entry that does not meet the criteria is dropped from the page instead of refusing it",
    check: "host-plugins/pages-are-checked",
    names: /after the plugin returned an entry without the requested tag/,
    parts: repairing((page) => ({
      ...page,
      entries: page.entries.filter(({ tags }) => !tags.includes("b")),
    })),
  }),
  hostMutant({
    id: "host-plugins-counts-for-the-plugin",
    defect: "a total below the number of entries is made the number of entries",
    check: "host-plugins/pages-are-checked",
    names: /after the plugin returned a total below the number of entries/,
    parts: repairing((page) => ({ ...page, total: Math.max(page.total, page.entries.length) })),
  }),
  hostMutant({
    id: "host-plugins-takes-empty-cut-pages",
    defect: "a page that is cut before its first entry is treated as empty",
    check: "host-plugins/pages-are-checked",
    names: /after the plugin returned a page cut before its first entry/,
    parts: repairing(({ cut, ...page }) => (page.entries.length === 0 || !cut ? page : { ...page, cut })),
  }),
  hostMutant({
    id: "host-plugins-merges-behind-cut-pages",
    defect: "a reply has entries of other tiers after the end of a page that is cut",
    check: "host-plugins/cut-page-ends-the-reply",
    names: /with c's tier cut after c/,
    parts: repairing(({ cut: _, ...page }) => page),
  }),
  hostMutant({
    id: "host-plugins-makes-missing-receipts",
    defect: "an entry without a receipt is reported as failed, and the others as stored",
    check: "host-plugins/receipts-are-checked",
    names: /after the plugin returned no receipt for the second entry/,
    parts: betweenPlugins((inner) => ({
      async onStore(scope, request) {
        const result = await inner.onStore(scope, request);
        if (result === undefined) return result;
        const known = new Set([...result.receipts, ...result.errors].map(({ index }) => index));
        const missing = request.entries.filter(({ index }) => !known.has(index));
        const error = new MemoryError("runtime_error", "the plugin returned no result for it");
        return { ...result, errors: [...result.errors, ...missing.map(({ index }) => ({ index, error }))] };
      },
    })),
  }),
  hostMutant({
    id: "host-plugins-takes-the-first-receipt",
    defect: "a second receipt for an entry is ignored",
    check: "host-plugins/receipts-are-checked",
    names: /after the plugin returned two receipts for the first entry/,
    parts: betweenPlugins((inner) => ({
      async onStore(scope, request) {
        const result = await inner.onStore(scope, request);
        const receipts = result?.receipts.filter(
          ({ index }, at, all) => all.findIndex((other) => other.index === index) === at,
        );
        return receipts === undefined ? result : { ...result, receipts };
      },
    })),
  }),
  hostMutant({
    id: "host-plugins-counts-below-zero-as-none",
    defect: "a count of forgotten entries below 0 is sent as 0",
    check: "host-plugins/forget-results-are-checked",
    names: /after the plugin returned a count below 0/,
    parts: betweenPlugins((inner) => ({
      async onForget(selector, request) {
        const result = await inner.onForget(selector, request);
        return result?.deleted < 0 ? { ...result, deleted: 0 } : result;
      },
    })),
  }),
  hostMutant({
    id: "host-plugins-trusts-plugins-to-end-entries",
    defect: "the host does not check whether a returned entry has expired",
    check: "host-plugins/expired-entries-of-a-plugin-are-not-returned",
    names: /after one has expired and the plugin still returns it/,
    parts: repairing((page) => ({
      ...page,
      entries: page.entries.map(({ expires_at: _, ...entry }) => entry),
    })),
  }),
];

const requestMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-keeps-the-first-of-equal-keys",
    defect: "a plugin receives the unchanged entries of a store, with the same key twice",
    check: "host-plugins/store-is-of-one-partition-and-no-key-twice",
    names: /index, key and key hash of the entries in `onStore`/,
    parts: betweenPlugins((inner) => ({
      async onStore(scope, request) {
        const earlier = { ...request.entries[0]!, index: 0 };
        const { receipts, errors } = await inner.onStore(scope, {
          ...request,
          entries: [earlier, ...request.entries],
        });
        return { receipts: receipts.slice(1), errors };
      },
    })),
  }),
  hostMutant({
    id: "host-plugins-asks-for-everything",
    defect: "a plugin receives requests that need undeclared features",
    check: "host-plugins/undeclared-feature-is-refused",
    names: /for a tier that declares no feature/,
    parts: betweenPlugins(({ manifest }) => ({
      manifest: {
        ...manifest,
        features: Object.fromEntries(
          Object.keys(FEATURES).map((name) => [name, true]),
        ) as typeof manifest.features,
      },
    })),
  }),
  hostMutant({
    id: "host-plugins-evicted-without-event",
    defect: "evicted entries have no event",
    check: "host-plugins/notified-change-is-an-event",
    names: /needs the 3 events/,
    bus: (bus) =>
      interceptEvents(bus, (event, _, send) => {
        if (event.action !== "evicted") send(event);
      }),
  }),
  hostMutant({
    id: "host-plugins-evicted-by-the-host",
    defect: "the agent token of an `evicted` event is the host's name",
    check: "host-plugins/notified-change-is-an-event",
    names: /after a plugin notified that an entry was evicted/,
    bus: (bus) =>
      interceptEvents(bus, (event, { subject }, send) => {
        const tokens = subject.split(".");
        send(event, event.action === "evicted" ? tokens.with(-5, "membus").join(".") : subject);
      }),
  }),
];

export const contractMutants: readonly Mutant[] = [...resultMutants, ...requestMutants];
