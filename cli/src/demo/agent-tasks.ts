import type { MemoryClient } from "@membus/agent-client";
import type { MemoryEntry } from "@membus/protocol";
import type { AgentTasks, StoringReport } from "./agent-messages.js";
import { saleEntry } from "./sale-entry.js";
import { turnEntry, turnsOf } from "./turn-entry.js";

const SALES_IN_FLIGHT = 8;

/** What an agent can be asked for, on its memory. `onSales` hears of every sale that is acknowledged. */
export function createAgentTasks(
  memory: MemoryClient,
  onSales: (acknowledgedCount: number) => void,
): AgentTasks {
  let salesEnded = false;
  return {
    store: (...args) => memory.store(...args),
    retrieve: (...args) => memory.retrieve(...args),
    forget: (...args) => memory.forget(...args),
    remember: (...args) => memory.remember(...args),
    recall: (key) => memory.recall(key),
    ping: () => memory.ping(),
    list: async (request) => {
      const entries: MemoryEntry[] = [];
      for await (const entry of memory.entries(request)) entries.push(entry);
      return entries;
    },
    storeTalks: () => storeTalks(memory),
    storeSales: () => storeSales(memory, () => salesEnded, onSales),
    endSales: async () => {
      salesEnded = true;
    },
  };
}

async function storeTalks(memory: MemoryClient): Promise<StoringReport> {
  const report = { sent: 0, receipts: [], refusals: [] };
  const turns = turnsOf(memory.agent);
  for (const topic of new Set(turns.map((turn) => turn.topic))) {
    await storeInto(report, memory, turns.filter((turn) => turn.topic === topic).map(turnEntry));
  }
  return report;
}

async function storeSales(
  memory: MemoryClient,
  isOver: () => boolean,
  onSales: (acknowledgedCount: number) => void,
): Promise<StoringReport> {
  const report = { sent: 0, receipts: [], refusals: [] };
  const storeOneByOne = async () => {
    while (!isOver()) {
      await storeInto(report, memory, [saleEntry(memory.agent, report.sent + 1)]);
      onSales(report.receipts.length);
    }
  };
  await Promise.all(Array.from({ length: SALES_IN_FLIGHT }, storeOneByOne));
  return report;
}

async function storeInto(
  report: { sent: number; receipts: StoringReport["receipts"][number][]; refusals: string[] },
  memory: MemoryClient,
  entries: Parameters<MemoryClient["store"]>[0] & readonly unknown[],
): Promise<void> {
  report.sent += entries.length;
  const { receipts, errors } = await memory.store(entries);
  report.receipts.push(...receipts);
  report.refusals.push(...errors.map(({ message }) => message));
}
