import type { EntryInput } from "@membus/agent-client";

export const SALE_TAG = "opening-day-sale";

const GOODS = ["sourdough", "dark rye", "cardamom bun", "doughnut", "half sourdough"];

/** What one customer bought on the opening day: alice notes the sales of the shop, bob those of the market stall. */
export function saleEntry(agent: string, number: number): EntryInput {
  const goods = GOODS[number % GOODS.length]!;
  const count = 1 + (number % 4);
  return {
    key: { sale: number, by: agent },
    content: { text: `customer ${number} bought ${count} x ${goods}`, goods, count },
    tier: "episodic",
    tags: [SALE_TAG],
    group: "opening-day-sales",
  };
}
