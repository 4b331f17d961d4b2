import type { EntryInput } from "@membus/agent-client";

export const FACT_TAG = "bakery-fact";

/** What stays when a talk is over, for both assistants. */
interface Fact {
  readonly name: string;
  readonly by: "alice" | "bob";
  readonly text: string;
}

/** In the order in which they were learned: a later one under the same name replaces the earlier. */
export const FACTS: readonly Fact[] = [
  { name: "shop_name", by: "alice", text: "The bakery is called Copper Crumb." },
  { name: "opening_date", by: "alice", text: "The bakery opens on Saturday, 25 April 2026." },
  {
    name: "address",
    by: "alice",
    text: "The shop is on the corner of Tanner Street, where the school bus stops.",
  },
  { name: "rent", by: "alice", text: "The rent is 1,450 a month." },
  {
    name: "oven_delivery",
    by: "bob",
    text: "The three-deck oven is delivered on 30 March 2026 and costs 6,200.",
  },
  {
    name: "rent",
    by: "alice",
    text: "The rent is 1,380 a month, because the baker seals the floor herself.",
  },
  { name: "wheat_flour", by: "bob", text: "Wheat flour comes from North Mill on Tuesdays and Fridays." },
  {
    name: "opening_hours",
    by: "alice",
    text: "The shop is open from Tuesday to Saturday, seven until three.",
  },
  {
    name: "oven_delivery",
    by: "bob",
    text: "The three-deck oven is delivered on 20 April 2026 and costs 5,900.",
  },
  { name: "opening_date", by: "alice", text: "The bakery opens on Saturday, 9 May 2026." },
  { name: "sourdough_price", by: "bob", text: "A large sourdough costs 5.20, half of one 3.10." },
];

export function factKey(name: string) {
  return { fact: name };
}

export function factEntry({ name, text }: Fact): EntryInput {
  return { key: factKey(name), content: { text }, tier: "semantic", tags: [FACT_TAG] };
}

/** The fact under each name as it was learned last. */
export function latestFacts(): ReadonlyMap<string, Fact> {
  return new Map(FACTS.map((fact) => [fact.name, fact]));
}
