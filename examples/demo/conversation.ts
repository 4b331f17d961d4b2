import type { EntryInput } from "@membus/agent-client";

/**
 * Messages from a baker, who opens a shop, to her two assistants. She later wants those marked `secret` to be
 * forgotten.
 */
const MESSAGES: Readonly<Record<string, readonly string[]>> = {
  alice: [
    "The cellar on Mill Lane is cheap, but it floods every other winter.",
    "The shop on Tanner Street has a corridor that stays dry all year.",
    "Its owner is eighty and kept bees on the roof until last spring.",
    "The rent came down to 1,380 because I seal the floor myself.",
    "The town allows no frying after eight in the evening.",
    "The inspector requires a hand basin with warm water next to the oven.",
    "I offered the night baker fourteen an hour.",
    "All staff have Sundays and Mondays off.",
    "secret: My sister lent me the deposit, and I keep it private.",
    "secret: I still wake up at night over the loan.",
    "The dealer dropped the stone plates of the oven, so it comes three weeks late.",
    "The first forty customers get a cardamom bun for free.",
  ],
  bob: [
    "The dough takes 74 per cent water, less on damp days.",
    "My starter is eleven years old and stands next to the flour.",
    "Wheat comes from North Mill; for the rye I go to Low Ford.",
    "The dairy cooperative brings the butter together with the milk.",
    "The bank lends 28,000 at 4.6 per cent over seven years.",
    "The card reader costs 19 a month and a cent a sale.",
    "A volunteer from the shelter collects the leftovers at three.",
    "Twenty seconds of steam make the crust shine.",
  ],
};

/** Questions that share few words with their answers, and a word that only the answer contains. */
export const QUESTIONS = [
  { agent: "alice", ask: "which building gets wet?", answer: "floods" },
  { agent: "alice", ask: "what animals did the landlord have?", answer: "bees" },
  { agent: "alice", ask: "what is the hourly wage of the night baker?", answer: "fourteen an hour" },
  { agent: "alice", ask: "what do the first visitors get as a gift?", answer: "cardamom" },
  { agent: "bob", ask: "how old is the sourdough starter?", answer: "eleven years" },
  { agent: "bob", ask: "what is the interest rate of the loan?", answer: "4.6 per cent" },
  { agent: "bob", ask: "which volunteer collects the leftovers?", answer: "shelter" },
] as const;

export const SECRET_TAG = "secret";

/** Returns the messages to `agent` as entries, one per sentence. */
export function entriesOf(agent: string): EntryInput[] {
  return MESSAGES[agent]!.map((line, index) => {
    const [, secret, text] = /^(secret: )?(.*)$/.exec(line)!;
    return {
      key: { turn: index + 1 },
      content: { text: text! },
      tier: "episodic",
      tags: secret === undefined ? ["message"] : ["message", SECRET_TAG],
    };
  });
}

export function textOf(content: unknown): string {
  return (content as { text?: string } | null)?.text ?? "";
}
