import { delay, systemClock } from "@membus/protocol";
import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import type { AgentOptions, RetrieveReply } from "../../../memory-agent.js";

const POLL_MS = 5;
const POLLS_MAX = 200;
const MOMENT_S = 0.001;
const ENDS_S = [100, 200.5] as const;

const PLACES: readonly AgentOptions[] = [
  {},
  { below: "a" },
  { below: "a/b" },
  { agent: "second" },
  { agent: "second", below: "a" },
  { tenant: "second" },
];

/** Returns the entries without the time of their last read. */
const shown = ({ entries }: RetrieveReply) =>
  entries.map(({ timestamps: { created, updated }, ...fields }) => ({ ...fields, created, updated }));

/** Runs maintenance, and again for some time if it reports later, until `count` entries are reported as expired. */
async function maintained({ maintain, changes }: PluginContext, count: number) {
  const expired = () => changes.filter(({ change }) => change.action === "expired");
  await maintain();
  for (let poll = 0; poll < POLLS_MAX && expired().length < count; poll++) {
    await delay(systemClock, POLL_MS);
    await maintain();
  }
  return expired();
}

/** Maintenance and the ends of entries. */
export const ttlMaintenanceChecks: readonly Check[] = [
  pluginCheck({
    id: "ttl/maintenance-removes-ended-entries-alone",
    clauses: ["PLUG-28", "PLUG-11", "ENTRY-4"],
    features: ["ttl"],
    async run(t) {
      const { agent, entry, expect, features, holdTime, maintain, reopen, scope, tier } = t;
      const start = Math.ceil(t.now()) + 1;
      holdTime(start);
      const sessions = tier === "working" ? [{ session: "s" }] : [];
      const places = [...PLACES, ...sessions];
      for (const [at, place] of places.entries()) {
        const own = (id: string, ttl: number | null) =>
          entry({ key: { id, at }, ttl, content: `${id} ${at}` });
        await agent(place).store([own("short", ENDS_S[0]), own("long", ENDS_S[1]), own("endless", null)]);
      }
      const contents = async () => Promise.all(places.map(async (one) => shown(await agent(one).retrieve())));
      const before = await contents();
      for (const [round, [id, end]] of [
        ["short", ENDS_S[0]] as const,
        ["long", ENDS_S[1]] as const,
      ].entries()) {
        if (features.durable) await reopen();
        holdTime(start + end - MOMENT_S);
        await maintain();
        const early = await maintained(t, 0);
        const so = `entries reported as expired, by maintenance a millisecond before the end of a ttl of ${end} s`;
        expect.equal(early.length, round * places.length, so);
        holdTime(start + end);
        const expired = await maintained(t, (round + 1) * places.length);
        const reported = expired.slice(round * places.length).map(({ change, agent: by }) => ({
          ...{ key: change.key, scope: change.scope, author: change.author, by },
        }));
        const expected = places.map((place, at) => {
          const { agent: author } = agent(place);
          return { key: { id, at }, scope: scope(place), author, by: author };
        });
        const what = `entries that maintenance reports at the end of a ttl of ${end} s, before any request names their partitions`;
        expect.sameMembers(reported, expected, what);
        const left = before.map((entries) =>
          entries.filter(({ key }) => key.id === "endless" || (round === 0 && key.id === "long")),
        );
        expect.equal(
          await contents(),
          left,
          `the entries left after that, unchanged apart from \`accessed\``,
        );
      }
    },
  }),
];
