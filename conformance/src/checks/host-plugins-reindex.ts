import { type ReindexProgress, ReindexProgressSchema, reindexSubject } from "@membus/protocol";
import { type Check, hostCheck } from "../check.js";
import type { HostContext, Inbox, OwnHost, ReceivedEvent } from "../context.js";
import { ScriptedPlugin } from "../host-route/scripted-plugin.js";

/** By then a change has been told (clause EVENT-6). */
const TOLD_SECONDS = 2;
const CHANGES = 20;
const CHANGE_INTERVAL_SECONDS = 0.1;

const TOTAL = 40;
const IDS = { generation: 2, embedder: "model-2:8", analyzer: "words-2" };

/** What a plugin of a tier says that is indexed anew. */
function figures(done: number) {
  const state = done === TOTAL ? "done" : "running";
  return { ...IDS, reindex_state: state, reindex_total: TOTAL, reindex_done: done };
}

/** The same in a message. */
function said(done: number) {
  return { tier: "working", ...IDS, state: done === TOTAL ? "done" : "running", total: TOTAL, done };
}

interface Reindexed {
  readonly own: OwnHost;
  readonly inbox: Inbox<ReceivedEvent>;
  /** So many entries are indexed anew from now on. */
  progress(done: number): void;
}

/** A host with a tier that is indexed anew. */
async function startReindexing(t: HostContext): Promise<Reindexed> {
  const plugin = new ScriptedPlugin();
  let done = 0;
  plugin.script = { stats: () => figures(done) };
  const own = await t.startHost({ plugins: { working: plugin } });
  const inbox = await own.events(">", ({ event }) => `${event.type}` === "memory/reindex");
  const progress = (count: number) => {
    done = count;
  };
  return { own, inbox, progress };
}

/** The messages that come when so many entries are indexed anew and a host must have told it. */
async function toldAt(done: number, { own, inbox, progress }: Reindexed): Promise<readonly ReceivedEvent[]> {
  const before = inbox.items.length;
  progress(done);
  await own.passTime(TOLD_SECONDS);
  await inbox.reach(before + 1);
  return (await inbox.settle()).slice(before);
}

function lastOf(told: readonly ReceivedEvent[]): ReindexProgress | undefined {
  return told.at(-1)?.event as unknown as ReindexProgress | undefined;
}

export const reindexChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/progress-of-indexing-anew-is-told",
    clauses: ["EVENT-6"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const reindexed = await startReindexing(t);
      const { own } = reindexed;
      const pong = await own.send("ping", { type: "ping" });
      const hostId = String(pong.message.host_id);
      for (const done of [10, 30, TOTAL]) {
        const told = await toldAt(done, reindexed);
        const when = `two seconds after ${done} of the ${TOTAL} entries of a tier were indexed anew`;
        const subjects = [...new Set(told.map(({ subject }) => subject))];
        expect.equal(
          subjects,
          [reindexSubject(hostId, "working", own.prefix)],
          `subjects of the messages ${when}`,
        );
        const problems = ReindexProgressSchema.safeParse(lastOf(told)).error?.issues.map(({ path }) =>
          path.join("."),
        );
        expect.equal(
          problems,
          undefined,
          `fields of the message ${when} that are missing or of another type`,
        );
        const {
          tier,
          generation,
          embedder,
          analyzer,
          state,
          total,
          done: told_done,
          host_id,
        } = lastOf(told)!;
        const got = { tier, generation, embedder, analyzer, state, total, done: told_done };
        expect.equal(got, said(done), `what the message says ${when}`);
        expect.equal(host_id, hostId, `\`host_id\` of the message ${when}`);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/progress-of-indexing-anew-is-told-once-a-second",
    clauses: ["EVENT-6"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const { own, inbox, progress } = await startReindexing(t);
      const begun = own.now();
      for (let done = 1; done <= CHANGES; done++) {
        progress(done);
        await own.passTime(CHANGE_INTERVAL_SECONDS);
      }
      const told = await inbox.settle();
      const seconds = own.now() - begun;
      expect.atLeast(told.length, 1, `messages within ${seconds.toFixed(1)} s with ${CHANGES} changes`);
      expect.atMost(
        told.length,
        seconds + 1,
        `messages within ${seconds.toFixed(1)} s with ${CHANGES} changes`,
      );
    },
  }),
];
