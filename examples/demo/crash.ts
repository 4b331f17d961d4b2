import type { EntryInput, MemoryClient } from "@membus/agent-client";
import { secretsLeft } from "./scenes.js";
import type { Stage } from "./stage.js";
import type { Transcript } from "./transcript.js";

const SALES = 400;
const IN_FLIGHT = 8;
const KILL_AFTER = 200;
const SALE_TAG = "sale";
const NOTE = "queue_outside";

/** Sales acknowledged by the host for one agent, by number. */
type Acknowledged = Map<number, { readonly outcome: string; readonly keyHash: string }>;

/** Kills the host during stores and restarts it. Every acknowledged entry must then exist exactly once. */
export async function crash(stage: Stage, transcript: Transcript): Promise<void> {
  const { host, alice, bob } = stage;
  await alice.remember(NOTE, "to the bus stop");
  const before = await contentsOf(alice);
  const sold = await killWhileSelling(stage, transcript);
  for (const [index, client] of [alice, bob].entries()) {
    await checkSales(client, sold[index]!, transcript);
  }
  const after = await contentsOf(alice);
  transcript.check(
    "earlier entries are unchanged",
    after.join() === before.join(),
    `${after.length} compared`,
  );
  const left = await secretsLeft(alice);
  transcript.check("forgotten entries have not come back", left === 0, `${left} found`);
  const note = await alice.recall(NOTE);
  transcript.check(
    "the working tier is in memory, and empty after a restart",
    note === null,
    `the note is ${note}`,
  );
  const exitCode = await host.end("SIGTERM");
  transcript.check("the host stops gracefully on SIGTERM", exitCode === 0, `exit code ${exitCode}`);
}

/** Kills the host while both agents store, and restarts it while their clients retry. */
async function killWhileSelling(
  { host, alice, bob }: Stage,
  transcript: Transcript,
): Promise<Acknowledged[]> {
  const sold: Acknowledged[] = [new Map(), new Map()];
  const count = () => sold[0]!.size + sold[1]!.size;
  let reached: () => void = () => {};
  const enough = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const onSale = () => {
    if (count() >= KILL_AFTER) reached();
  };
  const selling = Promise.all([sell(alice, sold[0]!, onSale), sell(bob, sold[1]!, onSale)]);
  await Promise.race([selling, enough]);
  const acknowledged = count();
  const ended = await host.end("SIGKILL");
  const wasDuringSales = ended === "SIGKILL" && acknowledged < 2 * SALES;
  transcript.check(
    "the host is killed",
    wasDuringSales,
    `${ended} after ${acknowledged} of ${2 * SALES} sales`,
  );
  await host.start();
  await selling;
  return sold;
}

async function sell(client: MemoryClient, acknowledged: Acknowledged, onSale: () => void): Promise<void> {
  let last = 0;
  const sellOneByOne = async () => {
    while (last < SALES) {
      const number = ++last;
      const sale: EntryInput = {
        key: { sale: number },
        content: { number },
        tier: "episodic",
        tags: [SALE_TAG],
      };
      const { receipts } = await client.store(sale);
      for (const { outcome, key_hash: keyHash } of receipts) acknowledged.set(number, { outcome, keyHash });
      onSale();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sellOneByOne));
}

async function checkSales(
  client: MemoryClient,
  acknowledged: Acknowledged,
  transcript: Transcript,
): Promise<void> {
  const receipts = [...acknowledged.values()];
  const created = receipts.filter(({ outcome }) => outcome === "created").length;
  transcript.check(
    `${client.agent}'s client retried unanswered stores automatically`,
    created === SALES,
    `${created} of ${SALES} acknowledged as created`,
  );
  const found: string[] = [];
  for await (const entry of client.entries({ tags: [SALE_TAG], tier: "episodic" }))
    found.push(entry.key_hash);
  const missing = receipts.filter(({ keyHash }) => !found.includes(keyHash)).length;
  transcript.check(
    `each of ${client.agent}'s acknowledged sales exists exactly once`,
    missing === 0 && found.length === receipts.length && new Set(found).size === found.length,
    `${found.length} found, ${missing} missing`,
  );
}

/** Returns contents and revisions of all entries except the sales. */
async function contentsOf(client: MemoryClient): Promise<string[]> {
  const contents: string[] = [];
  const where = { not: { field: "tags", op: "eq", value: SALE_TAG } } as const;
  for (const tier of ["episodic", "semantic"] as const) {
    for await (const { key_hash, revision, content } of client.entries({ tier, where, order: "oldest" })) {
      contents.push(JSON.stringify([key_hash, revision, content]));
    }
  }
  return contents;
}
