import { ReindexProgressSchema, reindexSubject } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, Inbox, OwnHost, ReceivedEvent } from "../../context.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";

/** Time within which a host must report a change (clause EVENT-6). */
const REPORT_SECONDS = 2;
const CHANGES = 20;
const CHANGE_INTERVAL_SECONDS = 0.1;

const TOTAL = 40;
const IDS = { generation: 2, embedder: "model-2:8", analyzer: "words-2" };

/** Progress of a tier. */
interface Stage {
  readonly state: "running" | "paused" | "done";
  readonly done: number;
}

const STAGES: readonly Stage[] = [
  { state: "running", done: 10 },
  { state: "paused", done: 30 },
  { state: "done", done: TOTAL },
];

interface Reindexed {
  readonly own: OwnHost;
  readonly inbox: Inbox<ReceivedEvent>;
  /** Sets the progress in the plugin's metrics. */
  progress(stage: Stage): void;
}

/** Starts a host with a tier that is being reindexed. */
async function startReindexing(t: HostContext): Promise<Reindexed> {
  const plugin = new ScriptedPlugin();
  let stage: Stage = { state: "running", done: 0 };
  plugin.script = {
    stats: () => ({ ...IDS, reindex_state: stage.state, reindex_total: TOTAL, reindex_done: stage.done }),
  };
  const own = await t.startHost({ plugins: { working: plugin } });
  const inbox = await own.events(">", ({ event }) => `${event.type}` === "memory/reindex");
  const progress = (next: Stage) => {
    stage = next;
  };
  return { own, inbox, progress };
}

/** Returns the messages that a host publishes after a tier has reached a stage. */
async function reportedAt(
  stage: Stage,
  { own, inbox, progress }: Reindexed,
): Promise<readonly ReceivedEvent[]> {
  const before = inbox.items.length;
  progress(stage);
  await own.passTime(REPORT_SECONDS);
  await inbox.reach(before + 1);
  return (await inbox.settle()).slice(before);
}

/** Returns the fields of the last message that also occur in `expected`. */
function fieldsOf(reported: readonly ReceivedEvent[], expected: object): object {
  const message = { ...reported.at(-1)?.event } as Record<string, unknown>;
  return Object.fromEntries(Object.keys(expected).map((name) => [name, message[name]]));
}

export const reindexChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/progress-of-indexing-anew-is-told",
    clauses: ["EVENT-6"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const reindexed = await startReindexing(t);
      const { own, inbox } = reindexed;
      const { message: pong } = await own.send("ping", { type: "ping" });
      const subject = reindexSubject(String(pong.host_id), "working", own.prefix);
      for (const stage of STAGES) {
        const reported = await reportedAt(stage, reindexed);
        const when = `two seconds after ${stage.done} of the ${TOTAL} entries of a tier were reindexed`;
        const subjects = [...new Set(reported.map((one) => one.subject))];
        expect.equal(subjects, [subject], `subjects of the messages ${when}`);
        const parsed = ReindexProgressSchema.safeParse(reported.at(-1)?.event);
        const problems = parsed.error?.issues.map(({ path }) => path.join("."));
        expect.equal(
          problems,
          undefined,
          `fields of the message ${when} that are missing or of another type`,
        );
        const expected = { host_id: pong.host_id, tier: "working", ...IDS, total: TOTAL, ...stage };
        expect.equal(fieldsOf(reported, expected), expected, `fields of the message ${when}`);
      }
      const before = inbox.items.length;
      await own.passTime(REPORT_SECONDS);
      const after = await inbox.settle();
      expect.equal(after.length - before, 0, "messages in the two seconds after the one with `done`");
    },
  }),
  hostCheck({
    id: "host-plugins/progress-of-indexing-anew-is-told-once-a-second",
    clauses: ["EVENT-6"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const { own, inbox, progress } = await startReindexing(t);
      const startedAt = own.now();
      for (let done = 1; done <= CHANGES; done++) {
        progress({ state: "running", done });
        await own.passTime(CHANGE_INTERVAL_SECONDS);
      }
      const reported = await inbox.settle();
      const seconds = own.now() - startedAt;
      expect.atLeast(reported.length, 1, `messages within ${seconds.toFixed(1)} s with ${CHANGES} changes`);
      expect.atMost(
        reported.length,
        seconds + 1,
        `messages within ${seconds.toFixed(1)} s with ${CHANGES} changes`,
      );
    },
  }),
];
