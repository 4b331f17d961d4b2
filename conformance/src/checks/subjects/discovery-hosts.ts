import { delay, encodeMessage, isMemoryError, systemClock } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import { UntestableError } from "../../expect.js";
import { recordOf } from "../../fixtures/bare-messages.js";
import { askHost, findHost } from "../../fixtures/host-info.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { StandInHost } from "../../fixtures/stand-in-host.js";
import { parseJson } from "../../host-route/parse-json.js";

/** Maximum drift between two clocks during a check. */
const DRIFT_MS = 100;
/** Maximum difference between the clocks of two machines. */
const CLOCKS_MS = 600_000;
const TEN_HOURS_MS = 36_000_000;
/** Maximum interval between a host's queries for other hosts (clause DISC-5). */
const ASKED_WITHIN_S = 20;
/** Maximum time for a reaction to an answer, on a busy machine. */
const SOON_MS = 3_000;
/** Maximum time after its start until a host queries for others. */
const START_MS = 60_000;
/** Maximum time for which a host waits for answers before it serves. */
const ANSWERS_MS = 1_500;
const LOOK_EVERY_MS = 100;
/** Number of pings that one of two hosts does not take alone. */
const PINGS = 24;

interface Served {
  readonly servingMs: number;
  /** Interval of the host's answer, in milliseconds of the suite's clock. */
  readonly before: number;
  readonly after: number;
}

/** Returns the uptime that the host reports. */
async function served(t: HostContext, subject: string): Promise<Served> {
  const { id } = await findHost(t);
  const before = t.now() * 1_000;
  const [answer] = await askHost(t, subject.replace("<id>", `${id}`), id);
  const { state, prefix, serving_ms } = recordOf(answer?.metadata);
  const published = { state, prefix };
  t.expect.equal(
    published,
    { state: "serving", prefix: t.prefix },
    `state and prefix in metadata of ${subject}`,
  );
  const isNumber = typeof serving_ms === "string" && /^\d{1,15}(\.\d+)?$/.test(serving_ms);
  t.expect.holds(isNumber, `metadata.serving_ms of ${subject}`, serving_ms, "milliseconds, as a number");
  return { servingMs: Number(serving_ms), before, after: t.now() * 1_000 };
}

const servingChecks: readonly Check[] = [
  hostCheck({
    id: "discovery/metadata-says-for-how-long-it-serves",
    clauses: ["DISC-8"],
    async run(t) {
      const first = await served(t, "$SRV.INFO");
      await t.passTime(1);
      const second = await served(t, "$SRV.INFO.membus.<id>");
      const grown = second.servingMs - first.servingMs;
      const what = "growth of metadata.serving_ms within more than a second of the suite's clock";
      t.expect.atLeast(grown, Math.floor(second.before - first.after - DRIFT_MS), what);
      t.expect.atMost(grown, Math.ceil(second.after - first.before + DRIFT_MS), what);
      const { id } = await findHost(t);
      const [stats] = await askHost(t, "$SRV.STATS.membus", id);
      const upMs = t.now() * 1_000 - Date.parse(`${stats?.started}`);
      const most = "metadata.serving_ms, compared with the time since `started` of $SRV.STATS";
      t.expect.atMost(second.servingMs, Math.ceil(upMs) + CLOCKS_MS, most);
    },
  }),
  hostCheck({
    id: "discovery/serving-begins-with-the-host",
    clauses: ["DISC-8"],
    provisions: ["restart"],
    skippable: true,
    turn: "alone",
    async run(t) {
      const before = t.now() * 1_000;
      await t.restart();
      const { servingMs, after } = await served(t, "$SRV.INFO.membus");
      const what = "metadata.serving_ms of a host that was killed and started again";
      t.expect.atMost(servingMs, Math.ceil(after - before + DRIFT_MS), what);
    },
  }),
];

/** Returns the hosts that currently answer pings. @throws {MemoryError} `unavailable` if a ping reaches none. */
async function answering(t: HostContext): Promise<readonly unknown[]> {
  const ask = async () => {
    const sent = { type: "ping", id: newRequestId() };
    return (await t.send("ping", sent, { timeoutMs: SOON_MS })).message.host_id;
  };
  return [...new Set(await Promise.all(Array.from({ length: PINGS }, ask)))];
}

/**
 * Returns `answering`, which accepts a ping that reaches no host if this host is in a cluster. There the servers send pings only to
 * the owner of their tenant.
 */
async function pingsBeside(t: HostContext): Promise<typeof answering> {
  const { id } = await findHost(t);
  const [info] = await askHost(t, "$SRV.INFO.membus", id);
  if (recordOf(info?.metadata).cluster === undefined) return answering;
  return async () => {
    const sent = { type: "ping", id: newRequestId() };
    try {
      // Not by `send`, which sends a ping without a receiver again.
      const reply = await t.bus.request(t.subject("ping"), encodeMessage(sent, "json"), {
        timeoutMs: SOON_MS,
      });
      return [recordOf(parseJson(reply.payload)).host_id];
    } catch (error) {
      if (isMemoryError(error) && error.code === "unavailable") return [];
      throw error;
    }
  };
}

/** Resolves with true once the condition holds, or with false after `ms`. */
async function inTime(ms: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = systemClock.now() + ms / 1_000;
  for (;;) {
    if (await holds()) return true;
    if (systemClock.now() > end) return false;
    await delay(systemClock, LOOK_EVERY_MS);
  }
}

/** Restarts the host. The restart may report that the host does not start. */
async function restarted({ restart }: HostContext): Promise<void> {
  await restart().catch((error: unknown) => {
    if (error instanceof UntestableError || error instanceof TypeError) throw error;
  });
}

/** Runs a check next to another host with the same or another prefix. */
async function beside(
  t: HostContext,
  prefix: string,
  work: (other: StandInHost) => Promise<void>,
): Promise<void> {
  const other = new StandInHost({ bus: t.bus, prefix, servingMs: TEN_HOURS_MS });
  await other.start();
  try {
    await work(other);
  } finally {
    await other.stop();
  }
}

/** Returns whether only the other host describes itself with this prefix, and no further one answers pings. */
async function isAlone(t: HostContext, other: StandInHost, ask: typeof answering): Promise<boolean> {
  const answers = await t.askServices("$SRV.INFO.membus");
  const hosts = answers.filter(({ metadata }) => recordOf(metadata).prefix === t.prefix).map(({ id }) => id);
  return [...hosts, ...(await ask(t))].every((id) => id === other.id);
}

const otherHostChecks: readonly Check[] = [
  hostCheck({
    id: "discovery/yields-to-one-that-has-served-longer",
    clauses: ["DISC-5"],
    provisions: ["restart"],
    skippable: true,
    turn: "last",
    async run(t) {
      const ask = await pingsBeside(t);
      await beside(t, t.prefix, async (other) => {
        if (t.isTimeOwn) await t.passTime(ASKED_WITHIN_S);
        const waitMs = t.isTimeOwn ? SOON_MS : ASKED_WITHIN_S * 1_000 + SOON_MS;
        const what = `the host has stopped ${ASKED_WITHIN_S} s after one appeared that has served for ten hours`;
        t.expect.equal(await inTime(waitMs, () => isAlone(t, other, ask)), true, what);
      });
      await restarted(t);
      const { id } = await findHost(t);
      const what = "`host_id` of the pongs once the other host has gone and the host was started again";
      t.expect.equal(await answering(t), [id], what);
    },
  }),
  hostCheck({
    id: "discovery/does-not-serve-beside-another",
    clauses: ["DISC-3"],
    provisions: ["restart"],
    skippable: true,
    turn: "last",
    async run(t) {
      const { expect } = t;
      const ask = await pingsBeside(t);
      await beside(t, t.prefix, async (other) => {
        const asked = other.askedCount;
        await restarted(t);
        const isSeen = () => other.askedCount > asked;
        const isThere = await inTime(START_MS, async () => isSeen() || (await ask(t)).length > 1);
        expect.equal(isThere, true, "the started host queries for other hosts, or answers");
        await delay(systemClock, ANSWERS_MS);
        const what = "the host that was started next to one of its prefix has stopped";
        expect.equal(await inTime(SOON_MS, () => isAlone(t, other, ask)), true, what);
      });
      await beside(t, `${t.prefix}-other`, async () => {
        await restarted(t);
        const { id } = await findHost(t);
        const what = "`host_id` of the pongs of a host that was started next to one of another prefix";
        expect.equal(await answering(t), [id], what);
      });
    },
  }),
];

export const discoveryHostsChecks: readonly Check[] = [...servingChecks, ...otherHostChecks];
