import { type AgentInputItem, MemorySession } from "@openai/agents";
import { expect, it } from "vitest";
import type { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import {
  type HistoryTransaction,
  type HistoryTransactionArgs,
  MembusSession,
} from "../src/openai-agents/index.js";
import { startRealHost } from "./real-host.js";
import { resultOrError } from "./result-or-error.js";
import { seededChance } from "./seeded-chance.js";

const OPERATIONS = 1_000;

/** Methods of every session. */
type Methods = Pick<
  MembusSession<AgentInputItem>,
  "getItems" | "addItems" | "popItem" | "clearSession" | "applyHistoryMutations" | "applyHistoryTransaction"
>;

/** The framework's own session, with methods of newer versions built from its own. */
class Oracle extends MemorySession {
  readonly #applied = new Map<string, string>();

  override async clearSession(): Promise<void> {
    this.#applied.clear();
    await super.clearSession();
  }

  async applyHistoryTransaction({ operationId, transaction }: HistoryTransactionArgs): Promise<void> {
    const earlier = this.#applied.get(operationId);
    if (earlier === JSON.stringify(transaction)) return;
    if (earlier !== undefined) {
      throw new Error("Session history operation was already applied with a different transaction.");
    }
    await this.#apply(transaction);
    this.#applied.set(operationId, JSON.stringify(transaction));
  }

  async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    await super.clearSession();
    await this.addItems(items);
  }

  async #apply(transaction: HistoryTransaction): Promise<void> {
    if (transaction.type === "append_items") return this.addItems(transaction.items as AgentInputItem[]);
    const { expectedSuffix, replacement } = transaction;
    const items = await this.getItems();
    const start = items.length - expectedSuffix.length;
    if (start < 0 || JSON.stringify(items.slice(start)) !== JSON.stringify(expectedSuffix)) {
      throw new Error("Session history suffix no longer matches the transaction precondition.");
    }
    await super.clearSession();
    await this.addItems([...items.slice(0, start), ...(replacement as AgentInputItem[])]);
  }
}

const CALL_IDS = ["c1", "c2", "c3"];

function someItem(chance: Chance): AgentInputItem {
  const text = chance.one(["Hello", "Grüezi 🦊", "", "a\nb"]);
  return chance.one<() => AgentInputItem>([
    () => ({ role: "user", content: text }),
    () => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
    () => ({ role: "assistant", status: "completed", content: [{ type: "output_text", text }] }),
    () => someCall(chance),
    () => ({
      type: "reasoning",
      content: [],
      providerData: { n: chance.int(3), nested: [null, { x: 1.5 }] },
    }),
  ])();
}

function someCall(chance: Chance): AgentInputItem & { type: "function_call" } {
  const callId = chance.one(CALL_IDS);
  return {
    type: "function_call",
    callId,
    name: "f",
    arguments: `{"n":${chance.int(9)}}`,
    status: "completed",
  };
}

const someItems = (chance: Chance) => Array.from({ length: chance.int(4) }, () => someItem(chance));

async function someTransaction(chance: Chance, oracle: Oracle): Promise<HistoryTransactionArgs> {
  const operationId = `op${chance.int(60)}`;
  if (chance.int(2) === 0) {
    return { operationId, transaction: { type: "append_items", items: someItems(chance) } };
  }
  const count = chance.int(5);
  const end = count === 0 ? [] : (await oracle.getItems()).slice(-count);
  const expectedSuffix = chance.int(5) === 0 ? someItems(chance) : end;
  const replacement = someItems(chance);
  return { operationId, transaction: { type: "replace_suffix", expectedSuffix, replacement } };
}

/** Returns an operation for both sessions. */
async function someOperation(chance: Chance, oracle: Oracle) {
  const items = someItems(chance);
  const limit = chance.one([undefined, 0, -1, 1, 2, 5, 100]);
  const replacement = someCall(chance);
  const args = await someTransaction(chance, oracle);
  const mutations = [{ type: "replace_function_call" as const, callId: chance.one(CALL_IDS), replacement }];
  const summary: AgentInputItem = { type: "compaction", encrypted_content: "short" };
  return chance.one<readonly [string, (session: Oracle & Methods) => Promise<unknown>]>([
    ["add", (session) => session.addItems(items)],
    ["add", (session) => session.addItems(items)],
    ["get", (session) => session.getItems(limit)],
    ["pop", (session) => session.popItem()],
    ["mutate", (session) => session.applyHistoryMutations({ mutations })],
    ["transact", (session) => session.applyHistoryTransaction(args)],
    ["transact", (session) => session.applyHistoryTransaction(args)],
    chance.int(6) === 0
      ? ["clear", (session) => session.clearSession()]
      : ["get", (session) => session.getItems()],
    chance.int(4) === 0
      ? ["compact", (session) => session.replaceHistoryWithCompaction([summary, ...items])]
      : ["get", (session) => session.getItems(limit)],
  ]);
}

it("behaves like the framework's own session", async () => {
  const host = await startRealHost();
  const memory = await host.connect({ agent: "alice" });
  const open = () => new MembusSession<AgentInputItem>(memory, { sessionId: "talk" });
  const oracle = new Oracle({ sessionId: "talk" });
  const chance = seededChance();
  const seen = new Map<string, number>();
  let session = open();
  for (let n = 0; n < OPERATIONS; n++) {
    if (chance.int(20) === 0) session = open();
    const [name, operate] = await someOperation(chance, oracle);
    const words = (work: Promise<unknown>) => resultOrError(work).then((it) => withoutName(it));
    const expected = await words(operate(oracle as Oracle & Methods));
    const got = await words(operate(session as unknown as Oracle & Methods));
    expect(got, `operation ${n}: ${name}`).toEqual(expected);
    seen.set(name, (seen.get(name) ?? 0) + 1);
    if (n % 50 === 0) expect(await session.getItems(), `after ${n}`).toEqual(await oracle.getItems());
  }
  expect(await session.getItems()).toEqual(await oracle.getItems());
  expect([...seen.keys()].sort()).toEqual(["add", "clear", "compact", "get", "mutate", "pop", "transact"]);
});

function withoutName(outcome: unknown): unknown {
  return typeof outcome === "string" ? outcome.replace(/^\w*Error: /, "") : outcome;
}
