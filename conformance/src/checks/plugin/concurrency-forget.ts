import { type Check, memoryCheck } from "../../catalogue/check.js";
import type { EntryInput } from "../../memory-agent.js";

const ROUNDS = 4;
const OLD = 120;
const KEPT = 5;
const NEW = 8;

/** Stores that are acknowledged while a forget runs. */
export const concurrencyForgetChecks: readonly Check[] = [
  memoryCheck({
    id: "concurrency/stores-during-a-forget-are-kept",
    clauses: ["FORGET-1", "STORE-13", "STORE-12"],
    async run({ caller, entry, expect }) {
      for (let round = 1; round <= ROUNDS; round++) {
        const tags = [`old ${round}`];
        const many = (count: number, fields: (at: number) => Partial<EntryInput>) =>
          Array.from({ length: count }, (_, at) => entry(fields(at)));
        const kept = many(KEPT, (at) => ({ key: { kept: at, round }, content: "before" }));
        await caller.store([...kept, ...many(OLD, (at) => ({ key: { old: at, round }, tags }))]);
        const added = many(NEW, (at) => ({ key: { added: at, round }, content: at }));
        const replaced = many(KEPT, (at) => ({ key: { old: at, round }, content: "again" }));
        const forgetting = caller.forget({ tags, deadline_ms: 14_000 });
        // The more rounds have passed, the later the first store is sent.
        for (let wait = 1; wait < round; wait++) await new Promise((resolve) => setImmediate(resolve));
        for (const [at, one] of added.entries()) {
          const update = { ...kept[at % KEPT]!, content: `during ${at}` };
          const storing = [caller.store(one), caller.store(update)];
          if (at < KEPT) storing.push(caller.store(replaced[at]!));
          await Promise.all(storing);
        }
        await forgetting;
        const { entries } = await caller.retrieve({ limit: 1_000 });
        const own = entries.filter(({ key }) => key.round === round);
        const contents = (name: string) =>
          Object.fromEntries(
            own.filter(({ key }) => key[name] !== undefined).map(({ key, content }) => [key[name], content]),
          );
        const what = `while a forget of ${OLD} other entries was running, round ${round}`;
        const numbers = Object.fromEntries(added.map(({ content }, at) => [at, content]));
        expect.equal(contents("added"), numbers, `contents by number of the ${NEW} entries stored ${what}`);
        const latest = Object.fromEntries(
          kept.map((_, at) => [at, `during ${at + KEPT * Math.floor((NEW - 1 - at) / KEPT)}`]),
        );
        expect.equal(contents("kept"), latest, `contents of the entries updated ${what}`);
        const tagged = await caller.retrieve({ tags, limit: 0 });
        expect.equal(tagged.total, 0, "total of the forgotten tag after the forget");
        // A replaced entry has no tag any more, so the forget does not select it, before or after.
        const again = Object.fromEntries(replaced.map(({ content }, at) => [at, content]));
        expect.equal(contents("old"), again, `contents of the entries that lost their tag ${what}`);
        await caller.forget({ all: true });
      }
    },
  }),
];
