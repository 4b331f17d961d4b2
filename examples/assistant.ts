// An assistant that remembers its user. On each of three days it starts with a new client and a new
// conversation, so everything it knows comes from the bus. On the third day a fact changes.
import { randomUUID } from "node:crypto";
import { MemoryClient } from "@membus/agent-client";
import { attachMemory, CostMeter, LongTermMemory, openConversation, runAgent } from "@membus/agentic";
import { gaiaTools } from "@membus/agentic/long-term";
import { type Clock, systemClock } from "@membus/protocol";
import type { Setting } from "./setting.js";

interface Day {
  readonly daysAgo: number;
  readonly message: string;
}

const DAYS: readonly Day[] = [
  { daysAgo: 2, message: "I work at Acme. Ada is my manager. I like mails that have one line." },
  { daysAgo: 1, message: "Write a mail to my manager: I am ill today." },
  { daysAgo: 0, message: "Ada has left Acme, and Grace is my manager now. Write to her that I am back." },
];

const PROMPT =
  "You are a personal assistant. Answer briefly. Use the given memories, and search your memory for anything else.";

export async function assistant(setting: Setting): Promise<void> {
  const user = `user:${randomUUID()}`;
  for (const day of DAYS) await playDay(day, user, setting);
  await showHistory(user, setting);
}

async function playDay({ daysAgo, message }: Day, user: string, { servers, model }: Setting): Promise<void> {
  const clock = clockOf(daysAgo);
  const client = await MemoryClient.connect({ servers, agent: "assistant" });
  const longTerm = new LongTermMemory(client, { subject: user }, { model, clock });
  const memory = attachMemory(longTerm, "both", { tools: gaiaTools(longTerm) });
  const conversation = await openConversation(client, { id: randomUUID() });

  await conversation.add({ role: "user", content: message });
  const messages = await conversation.messages();
  const recalled = await memory.before(messages);
  const system = `${PROMPT}\n${recalled.asText()}`;
  const run = { model, system, tools: memory.tools, messages };
  const { text, messages: answered } = await runAgent(run, new CostMeter(clock));
  await conversation.add(answered);
  const learning = await memory.after([...messages, ...answered]);

  console.log(`\n${dayOf(clock.now())}`);
  console.log(`  user:       ${message}`);
  for (const known of recalled.memories) console.log(`  remembers:  ${known.text}`);
  console.log(`  assistant:  ${text}`);
  // The answer is already printed. Only this example waits for learning, which runs in the background.
  await longTerm.settled();
  if (learning !== undefined && "eventIds" in learning) await printOutcomes(longTerm, learning.eventIds);
  await longTerm.close();
  await client.close();
}

async function printOutcomes(longTerm: LongTermMemory, eventIds: readonly string[]): Promise<void> {
  for (const eventId of eventIds) {
    const { state, outcomes, reason } = await longTerm.status(eventId);
    const what = outcomes?.map(({ outcome }) => outcome).join(", ") || (reason ?? "nothing new");
    console.log(`  learned:    ${what} (${state})`);
  }
}

/** Shows that a replaced fact is kept with the time during which it was true. */
async function showHistory(user: string, { servers }: Setting): Promise<void> {
  const client = await MemoryClient.connect({ servers, agent: "assistant" });
  const longTerm = new LongTermMemory(client, { subject: user });
  const question = "Who is the manager of the user?";
  const [today] = (await longTerm.retrieve(question, { limit: 1 })).memories;
  const yesterday = await longTerm.retrieve(question, { limit: 1, asOf: clockOf(1).now() });
  console.log(`\n${question}`);
  console.log(`  today:      ${today?.text ?? "unknown"}`);
  console.log(`  yesterday:  ${yesterday.memories[0]?.text ?? "unknown"}`);
  for (const { text, record } of today === undefined ? [] : await longTerm.history(today.id)) {
    const { valid_from: from, valid_until: until } = record.metadata;
    console.log(`  ${dayOf(from)} to ${until === undefined ? "now       " : dayOf(until)}  ${text}`);
  }
  await client.close();
}

/** Returns a clock that is the given number of days behind. */
function clockOf(daysAgo: number): Clock {
  return { ...systemClock, now: () => systemClock.now() - daysAgo * 86_400 };
}

function dayOf(seconds: unknown): string {
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
}
