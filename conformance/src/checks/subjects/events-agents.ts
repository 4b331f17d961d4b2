import { type Check, hostTierCheck } from "../../catalogue/check.js";
import { notStored, ofAction, subjectOf, watchEvents } from "../../fixtures/event-watch.js";
import { inBatches } from "../../fixtures/in-batches.js";
import { LIKE_NAMES } from "../../fixtures/like-names.js";
import type { EntryInput } from "../../memory-agent.js";

/** Ownership of events, by subject and `author`. */
export const eventAgentChecks: readonly Check[] = [
  hostTierCheck({
    id: "events/agent-who-acted",
    clauses: ["EVENT-3", "SUBJ-6"],
    features: ["shared"],
    async run(t) {
      const { caller, expect } = t;
      const second = t.agent({ agent: "second" });
      const watch = await watchEvents(t);
      const [a, b] = [watch.entry("a"), watch.entry("b")];
      await caller.store([a, b]);
      await second.store({ ...a, content: "rewritten" });
      await second.forget({ keys: [b.key] });
      const reported = await watch.reported(4);
      expect.sameMembers(
        reported.map(({ subject, event }) => ({ subject, author: event.author })),
        [
          { subject: subjectOf(t, caller, "stored"), author: caller.agent },
          { subject: subjectOf(t, caller, "stored"), author: caller.agent },
          { subject: subjectOf(t, second, "stored"), author: second.agent },
          { subject: subjectOf(t, second, "forgotten"), author: caller.agent },
        ],
        "subjects and authors of the events after the first agent stored 2 entries and the second one updated one and forgot the other",
      );
    },
  }),
  hostTierCheck({
    id: "events/agent-of-expired-is-the-author",
    clauses: ["EVENT-3"],
    features: ["ttl", "shared"],
    async run(t) {
      const { caller, expect } = t;
      const second = t.agent({ agent: "second" });
      const watch = await watchEvents(t);
      await caller.store(watch.entry("a", { ttl: 1 }));
      await t.passTime(2);
      await second.retrieve();
      const reported = notStored(await watch.reported(2));
      expect.equal(
        reported.map(({ subject, event }) => ({ subject, author: event.author })),
        [{ subject: subjectOf(t, caller, "expired"), author: caller.agent }],
        "subject and author of the event after an entry of the first agent expired and the second one read",
      );
    },
  }),
  hostTierCheck({
    id: "events/expired-is-of-who-wrote-each-entry",
    clauses: ["EVENT-3", "EVENT-4", "SUBJ-6"],
    features: ["ttl"],
    async run(t) {
      const [first, second] = [t.agent({ agent: "first" }), t.agent({ agent: "second" })];
      const watch = await watchEvents(t);
      const claimed = { source: second.agent, author: second.agent } as Partial<EntryInput>;
      const ending = (name: string, fields = {}) => watch.entry(name, { ttl: 1, ...fields });
      await first.store([ending("a", claimed), ending("b"), watch.entry("stays", { ttl: 3_600 })]);
      await second.store([ending("c", { source: first.agent }), ending("d")]);
      if (t.features.shared) {
        await first.store([ending("e", { ttl: 3_600 }), ending("f")]);
        await second.store([
          ending("e", { content: "of the second" }),
          ending("f", { content: "of the second" }),
        ]);
      }
      await t.passTime(2);
      await second.retrieve();
      await first.retrieve();
      const owners = {
        a: first,
        b: first,
        c: second,
        d: second,
        ...(t.features.shared && { e: second, f: second }),
      };
      const expected = Object.entries(owners).map(([name, agent]) => ({
        subject: subjectOf(t, agent, "expired"),
        key: watch.entry(name).key,
        author: agent.agent,
      }));
      const storedCount = t.features.shared ? 9 : 5;
      const reported = ofAction(await watch.reported(storedCount + expected.length), "expired");
      const got = reported.map(({ subject, event }) => ({ subject, key: event.key, author: event.author }));
      const what =
        "subjects, keys and authors of the `expired` events of entries that two agents had written";
      t.expect.sameMembers(got, expected, what);
    },
  }),
  hostTierCheck({
    id: "events/of-agents-of-like-names",
    clauses: ["SUBJ-6", "EVENT-1", "EVENT-3"],
    async run(t) {
      const watch = await watchEvents(t);
      const agents = LIKE_NAMES.map((name) => t.agent({ named: { agent: name } }));
      await inBatches(agents, async (agent) => {
        const entry = watch.entry(agent.agent);
        await agent.store(entry);
        await agent.forget({ keys: [entry.key] });
      });
      const reported = await watch.reported(2 * agents.length);
      const got = reported.map(({ subject, event }) => ({ subject, key: event.key, author: event.author }));
      const expected = agents.flatMap((agent) =>
        (["stored", "forgotten"] as const).map((action) => ({
          subject: subjectOf(t, agent, action),
          key: watch.entry(agent.agent).key,
          author: agent.agent,
        })),
      );
      t.expect.sameMembers(
        got,
        expected,
        "subjects, keys and authors of the events of agents with similar names",
      );
    },
  }),
];
