// An assistant that remembers its user. On each of three days it begins anew, with another client and another
// conversation; what it knows of the user it knows from the bus. On the third day a fact changes.
import { randomUUID } from "node:crypto";
import { MemoryClient } from "@membus/agent-client";
import {
  attachMemory,
  CostMeter,
  gaiaTools,
  LongTermMemory,
  openConversation,
  runAgent,
} from "@membus/agentic";
import { type Clock, systemClock } from "@membus/protocol";
import type { Setting } from "./setting.js";

interface Day {
  readonly daysAgo: number;
  readonly says: string;
}

const DAYS: readonly Day[] = [
  { daysAgo: 2, says: "I work at Acme. Ada is my manager. I like mails that have one line." },
  { daysAgo: 1, says: "Write a mail to my manager: I am ill today." },
  { daysAgo: 0, says: "Ada has left Acme, and Grace is my manager now. Write to her that I am back." },
];

const PROMPT = "You assist one person, in few words. Use what you remember; search your memory for the rest.";

export async function assistant(setting: Setting): Promise<void> {
  const user = `user:${randomUUID()}`;
  for (const day of DAYS) await live(day, user, setting);
  await lookBack(user, setting);
}

async function live({ daysAgo, says }: Day, user: string, { servers, model }: Setting): Promise<void> {
  const clock = clockOf(daysAgo);
  const client = await MemoryClient.connect({ servers, agent: "assistant" });
  const longTerm = new LongTermMemory(client, { about: user }, { model, clock });
  const memory = attachMemory(longTerm, "both", { tools: gaiaTools(longTerm) });
  const conversation = await openConversation(client, { id: randomUUID() });

  await conversation.add({ role: "user", content: says });
  const messages = await conversation.messages();
  const recalled = await memory.before(messages);
  const system = `${PROMPT}\n${recalled.asText()}`;
  const run = { model, system, tools: memory.tools, messages };
  const { text, messages: answered } = await runAgent(run, new CostMeter(clock));
  await conversation.add(answered);
  const learning = await memory.after([...messages, ...answered]);

  console.log(`\n${dayOf(clock.now())}`);
  console.log(`  user:       ${says}`);
  for (const known of recalled.memories) console.log(`  remembers:  ${known.text}`);
  console.log(`  assistant:  ${text}`);
  // The answer is out already. Only this story waits for what is learned behind it.
  await longTerm.settled();
  if (learning !== undefined && "eventIds" in learning) await tell(longTerm, learning.eventIds);
  await longTerm.close();
  await client.close();
}

async function tell(longTerm: LongTermMemory, eventIds: readonly string[]): Promise<void> {
  for (const eventId of eventIds) {
    const { state, outcomes, reason } = await longTerm.status(eventId);
    const what = outcomes?.map(({ outcome }) => outcome).join(", ") || (reason ?? "nothing new");
    console.log(`  learned:    ${what} (${state})`);
  }
}

/** A fact that is true no more is not gone: it was true until then. */
async function lookBack(user: string, { servers }: Setting): Promise<void> {
  const client = await MemoryClient.connect({ servers, agent: "assistant" });
  const longTerm = new LongTermMemory(client, { about: user });
  const question = "Who is the manager of the user?";
  const [today] = (await longTerm.retrieve(question, { limit: 1 })).memories;
  const yesterday = await longTerm.retrieve(question, { limit: 1, asOf: clockOf(1).now() });
  console.log(`\n${question}`);
  console.log(`  today:      ${today?.text ?? "nothing is known"}`);
  console.log(`  yesterday:  ${yesterday.memories[0]?.text ?? "nothing is known"}`);
  for (const { text, record } of today === undefined ? [] : await longTerm.history(today.id)) {
    const { valid_from: from, valid_until: until } = record.metadata;
    console.log(`  ${dayOf(from)} to ${until === undefined ? "now       " : dayOf(until)}  ${text}`);
  }
  await client.close();
}

/** The time of so many days ago, which passes as time does. */
function clockOf(daysAgo: number): Clock {
  return { ...systemClock, now: () => systemClock.now() - daysAgo * 86_400 };
}

function dayOf(seconds: unknown): string {
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
}
