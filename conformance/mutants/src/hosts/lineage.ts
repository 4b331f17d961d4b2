import type { Message } from "@membus/protocol";
import { hostMutant, type Mutant } from "../mutant.js";
import { rewriteRequests } from "./intercept.js";
import { betweenPlugins } from "./passing-plugin.js";
import { readingEntries, without } from "./rewrite-entries.js";

export const lineageHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "sources-mended",
    defect: "sources that are too many, or not distinct, are repaired instead of refused",
    check: "sources/malformed-are-refused",
    names: /codes of a store of an entry with one hash twice as sources/,
    bus: readingEntries((entry) =>
      Array.isArray(entry.sources) ? { ...entry, sources: [...new Set(entry.sources)].slice(0, 64) } : entry,
    ),
  }),
  hostMutant({
    id: "sources-left-out-where-undeclared",
    defect: "sources are dropped for a tier without support, and the entry is acknowledged",
    check: "sources/refused-when-undeclared",
    names: /codes of a store of an entry with sources, not declared/,
    tier: "episodic",
    bus: readingEntries((entry) => without(entry, "sources")),
  }),
  hostMutant({
    id: "cascade-left-out-where-undeclared",
    defect: "a cascade in a tier that does not declare it is a forget like any other",
    check: "cascade/refused-when-undeclared",
    names: /a forget with cascade, which is not declared/,
    tier: "episodic",
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        fields.cascade === true ? (without(fields, "cascade") as Message) : fields,
      ),
  }),
  hostMutant({
    id: "forget-purge-left-out-where-undeclared",
    defect: "a forget with purge in a tier that does not declare it is a forget like any other",
    check: "forget/purge-refused-when-undeclared",
    names: /a forget with purge, which is not declared/,
    tier: "episodic",
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        fields.purge === true ? (without(fields, "purge") as Message) : fields,
      ),
  }),
  hostMutant({
    id: "forget-erasure-of-the-fastest-tier",
    defect: "the status of a forget omits tiers where it is still scheduled",
    check: "host-plugins/status-of-a-forget-is-of-all-tiers",
    names: /scheduled in one tier/,
    parts: betweenPlugins((inner) => ({
      onErasure: async (op) => {
        const known = await inner.onErasure!(op);
        return known?.purge === "done" ? known : undefined;
      },
    })),
  }),
  hostMutant({
    id: "forget-erasure-of-tiers-that-cannot",
    defect: "tiers that do not declare `erasure` are queried for the status of a forget",
    check: "host-plugins/status-of-a-forget-is-of-all-tiers",
    names: /without a tier that declares it/,
    parts: betweenPlugins(({ manifest }) => ({
      manifest: { ...manifest, features: { ...manifest.features, erasure: true } },
    })),
  }),
  hostMutant({
    id: "forget-erasure-without-its-reason",
    defect: "the status of a forget omits what the erasure waits for",
    check: "host-plugins/status-of-a-forget-says-why",
    names: /`purge_reason` of a forget with one in the second tier/,
    parts: betweenPlugins((inner) => ({
      onErasure: async (op) => {
        const known = await inner.onErasure!(op);
        return known?.purge === "scheduled" ? { purge: "scheduled" } : known;
      },
    })),
  }),
  hostMutant({
    id: "host-plugins-features-taken-for-declared",
    defect: "a feature that a manifest does not name is treated as declared",
    check: "host-plugins/features-added-later-need-not-be-named",
    names: /codes of a store with sources, which that manifest does not name/,
    parts: betweenPlugins(({ manifest }) => ({
      manifest: { ...manifest, features: { sources: true, cascade: true, ...manifest.features } },
    })),
  }),
];
