import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";
import { turnKey, turnsOf } from "../turn-entry.js";

/** Bob looks for what only alice was told, in every way he has. */
export async function isolate({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  const told = turnsOf(alice.name);
  const keys = told.slice(0, 100).map(turnKey);
  const byKey = await bob.ask("retrieve", { keys, limit: 0 });
  transcript.check(`bob asks for ${keys.length} of alice's keys`, byKey.total === 0, `${byKey.total} found`);

  const query = told.find(({ text }) => text.includes("he kept bees"))!.text;
  const byWords = await bob.ask("list", { query, tier: "episodic", limit: told.length * 2 });
  const foreign = byWords.filter(({ author }) => author !== bob.name);
  transcript.check(
    "bob asks in alice's very words",
    foreign.length === 0,
    `${byWords.length} found, ${foreign.length} of them alice's`,
  );

  const criteria = { match: { talk: "lease" }, dry_run: true } as const;
  const [bobs, alices] = await Promise.all([bob.ask("forget", criteria), alice.ask("forget", criteria)]);
  transcript.check(
    "bob could not forget alice's talk about the lease",
    bobs.deleted === 0 && alices.deleted === told.filter(({ topic }) => topic === "lease").length,
    `he would delete ${bobs.deleted}, alice ${alices.deleted}`,
  );
}
