import type { MemoryEntry, MemoryTier } from "@membus/protocol";
import { calls, type Target } from "./kit-calls.js";
import type { ScopeFields } from "./kit-requests.js";
import type { TestClock } from "./test-clock.js";

const TEXTS = ["river stone garden", "winter market", "letter to the river", "silver engine"];

/** A plugin, and an event that may occur between two requests of one agent. */
export interface Neighbourhood extends Target {
  readonly clock: TestClock;
  readonly tier: MemoryTier;
  others(turn: number): Promise<unknown>;
}

/** Returns the results of all of alice's requests, while others act before each of them. */
export async function observed(place: Neighbourhood): Promise<unknown[]> {
  const seen: unknown[] = [];
  const alice = () => calls(place, { tier: place.tier });
  const comparable = (entries: readonly MemoryEntry[]) => entries.map(({ timestamps: _, ...entry }) => entry);
  const next = async (request: () => Promise<unknown>): Promise<void> => {
    await place.others(seen.length);
    place.clock.advance(1);
    seen.push(await request());
  };
  for (const [at, content] of TEXTS.entries()) {
    await next(() => alice().store([{ key: `k${at}`, content, group: "g", tags: ["t"] }]));
  }
  await next(async () => (await alice().store([{ key: "k0", if_revision: 7 }])).errors[0]!.error.detail);
  for (const query of ["river", "winter garden", "engine"]) {
    await next(async () => {
      const { entries, total } = await alice().retrieve({ query });
      return { total, entries: comparable(entries) };
    });
  }
  await next(() => alice().forget({ keys: ["k3"] }));
  await next(async () => (await alice().retrieve({}, { namespace: "default/**" })).total);
  await next(() => alice().store([{ key: "k3", content: "again" }]));
  return seen;
}

/** Stores, searches and forgets similar entries in scopes of others. */
export async function beBusy(target: Target, tier: MemoryTier, turn: number): Promise<void> {
  const places: readonly ScopeFields[] = [
    { agent: "bob" },
    { tenant: "globex" },
    { session: "s2" },
    { namespace: "private" },
    { agent: "bob", namespace: "default/deeper" },
  ];
  // Agents share the semantic tier, and sessions share all tiers except the working one.
  const others = places.filter(({ agent, session }) => {
    return (tier !== "semantic" || agent === undefined) && (tier === "working" || session === undefined);
  });
  for (const place of others) {
    const { store, retrieve, forget } = calls(target, { tier, ...place });
    const entries = Array.from({ length: 30 }, (_, at) => ({
      key: `k${turn}-${at}`,
      content: `river winter engine ${at}`,
      group: "g",
      tags: ["t"],
      metadata: { secret: at },
    }));
    await store(entries);
    await retrieve({ query: "river" });
    await forget({ keys: [`k${turn}-0`] });
  }
}
