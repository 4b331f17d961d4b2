import type { EntryInput, MemoryClient } from "@membus/agent-client";
import { secretsLeft } from "./scenes.js";
import type { Stage } from "./stage.js";
import type { Transcript } from "./transcript.js";

const SALES = 400;
const IN_FLIGHT = 8;
const KILL_AFTER = 200;
const SALE_TAG = "sale";
const NOTE = "queue_outside";

/** Sales that the host has acknowledged to one agent: what each was told, by its number. */
type Acknowledged = Map<number, { readonly outcome: string; readonly keyHash: string }>;

/** The host dies in the middle of storing and starts again, and what it had acknowledged is there, once. */
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
    "what was stored before is unchanged",
    after.join() === before.join(),
    `${after.length} compared`,
  );
  const left = await secretsLeft(alice);
  transcript.check("what was forgotten has not come back", left === 0, `${left} found`);
  const note = await alice.recall(NOTE);
  transcript.check("the working tier lives in memory, and begins anew", note === null, `the note is ${note}`);
  const ended = await host.end("SIGTERM");
  transcript.check("told to stop, the host ends in order", ended === 0, `it ended with ${ended}`);
}

/** Both agents store; the host is killed in the middle, and started again while their clients keep trying. */
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
  const inTheMiddle = ended === "SIGKILL" && acknowledged < 2 * SALES;
  transcript.check("the host is killed", inTheMiddle, `${ended} after ${acknowledged} of ${2 * SALES} sales`);
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
    `${client.agent}'s client sent again by itself what had got no answer`,
    created === SALES,
    `${created} of ${SALES} acknowledged as created`,
  );
  const found: string[] = [];
  for await (const entry of client.entries({ tags: [SALE_TAG], tier: "episodic" }))
    found.push(entry.key_hash);
  const missing = receipts.filter(({ keyHash }) => !found.includes(keyHash)).length;
  transcript.check(
    `each of ${client.agent}'s acknowledged sales is there once`,
    missing === 0 && found.length === receipts.length && new Set(found).size === found.length,
    `${found.length} found, ${missing} missing`,
  );
}

/** Contents and revisions of all that was told and shared, the sales apart. */
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
