import { delay, type MemoryEntry, systemClock } from "@membus/protocol";
import type { StoringReport } from "../agent-messages.js";
import type { RemoteAgent } from "../remote-agent.js";
import { SALE_TAG } from "../sale-entry.js";
import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";
import { EXPIRING_KEY } from "./expire.js";
import { checkNothingIsLeft } from "./forget.js";

/** Sales that each agent stores before and after the crash, at least. */
const SALES_MIN = 200;
const POLL_MS = 5;
const REQUEST_ID = "demo-first-customer";
const NOTE = "queue_outside";

/** The host dies in the middle of storing, starts again, and what it acknowledged is there. */
export async function killHost(stage: Stage, transcript: Transcript): Promise<void> {
  const { alice, bob } = stage;
  const agents = [alice, bob];
  const first = {
    key: "first_customer",
    content: "the old postman, with a fifty",
    tier: "episodic",
  } as const;
  const firstReply = await alice.ask("store", first, { id: REQUEST_ID });
  await alice.ask("remember", NOTE, "to the bus stop");
  const before = await Promise.all(agents.map(snapshot));

  const reports = await crashWhileStoring(stage, transcript);
  for (const [index, agent] of agents.entries()) await checkSales(agent, reports[index]!, transcript);

  const after = await Promise.all(agents.map(snapshot));
  transcript.check(
    "what was stored earlier is unchanged: contents, order and revisions",
    JSON.stringify(after) === JSON.stringify(before),
    `${after.map(({ length }) => length).join(" and ")} entries compared`,
  );
  const sameReply = await alice.ask("store", first, { id: REQUEST_ID });
  transcript.check(
    "a request from before the crash, sent again with its id, gets its first reply",
    JSON.stringify(sameReply) === JSON.stringify(firstReply),
    sameReply.receipts.map(({ outcome, revision }) => `${outcome}, revision ${revision}`).join(),
  );
  await checkNothingIsLeft(alice, "what was forgotten has not come back", transcript);
  const expired = await alice.ask("retrieve", { keys: [EXPIRING_KEY], limit: 0 });
  transcript.check("nor what has expired", expired.total === 0, `${expired.total} found`);
  const note = await alice.ask("recall", NOTE);
  transcript.check("the working tier lives in memory, and begins anew", note === null, `${NOTE} is ${note}`);
}

/** Every episodic and semantic entry that an agent sees, the sales apart. */
async function snapshot(agent: RemoteAgent): Promise<object[]> {
  const where = { not: { field: "tags", op: "eq", value: SALE_TAG } } as const;
  const tiers = ["episodic", "semantic"] as const;
  const lists = await Promise.all(tiers.map((tier) => agent.ask("list", { tier, where, order: "oldest" })));
  return lists.flat().map(({ key_hash, revision, content, tags, group, metadata }) => {
    return { key_hash, revision, content, tags, group, metadata };
  });
}

async function crashWhileStoring(
  { host, alice, bob }: Stage,
  transcript: Transcript,
): Promise<StoringReport[]> {
  const agents = [alice, bob];
  const storing = Promise.all(agents.map((agent) => agent.ask("storeSales")));
  await Promise.race([storing, untilMoreSales(agents)]);
  const acknowledged = agents.map(({ salesAcknowledged }) => salesAcknowledged);
  const pid = host.pid;
  const { signal } = await host.kill();
  transcript.check(
    `process ${pid} is killed while both agents store sales`,
    signal === "SIGKILL",
    `${signal} after ${acknowledged.join(" and ")} acknowledged sales`,
  );
  const startedAt = systemClock.now();
  await host.restart();
  const tookSeconds = systemClock.now() - startedAt;
  transcript.check(
    `the host starts again`,
    true,
    `process ${host.pid}, ${tookSeconds.toFixed(1)} s until it serves`,
  );
  await Promise.race([storing, untilMoreSales(agents)]);
  await Promise.all(agents.map((agent) => agent.ask("endSales")));
  return storing;
}

/** Resolves when every agent has had `SALES_MIN` more sales acknowledged than now. */
async function untilMoreSales(agents: readonly RemoteAgent[]): Promise<void> {
  const goals = agents.map(({ salesAcknowledged }) => salesAcknowledged + SALES_MIN);
  while (agents.some(({ salesAcknowledged }, index) => salesAcknowledged < goals[index]!)) {
    await delay(systemClock, POLL_MS);
  }
}

async function checkSales(
  agent: RemoteAgent,
  { sent, receipts, refusals }: StoringReport,
  transcript: Transcript,
): Promise<void> {
  transcript.check(
    `${agent.name}'s client sent again by itself what had got no answer`,
    receipts.length === sent && refusals.length === 0 && receipts.every(isCreated),
    `${sent} sales sent, ${receipts.length} acknowledged as created, ${refusals.length} refused`,
  );
  const entries = await agent.ask("list", { tags: [SALE_TAG], tier: "episodic", order: "oldest" });
  const acknowledged = new Set(receipts.map(({ key_hash, revision }) => `${key_hash} ${revision}`));
  const present = new Set(entries.map(identityOf));
  const missing = [...acknowledged].filter((identity) => !present.has(identity)).length;
  transcript.check(
    `each of ${agent.name}'s acknowledged sales is there exactly once`,
    missing === 0 && present.size === entries.length && entries.length === acknowledged.size,
    `${entries.length} found, ${missing} missing, ${entries.length - present.size} twice`,
  );
}

function isCreated({ outcome }: StoringReport["receipts"][number]): boolean {
  return outcome === "created";
}

function identityOf({ key_hash, revision }: MemoryEntry): string {
  return `${key_hash} ${revision}`;
}
