import { subjectMatches } from "@membus/bus";
import { encodeMessage, LIMITS, type Message, OPERATIONS } from "@membus/protocol";
import { FEATURES, type Feature, type PluginManifest, PluginManifestSchema } from "@membus/protocol/plugin";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import { listOf, recordOf } from "../../fixtures/bare-messages.js";
import { askHost, findHost, parsedOf } from "../../fixtures/host-info.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { answersTo, FLOOD_WAITS } from "../../host-route/answers-to.js";
import { discoveryHostsChecks } from "./discovery-hosts.js";
import { discoveryOwnerChecks } from "./discovery-owner.js";

const SUFFIXES = ["", ".membus", ".membus.<id>"] as const;
const PINGS = 12;

const microChecks: readonly Check[] = (["PING", "INFO", "STATS"] as const).map((verb) =>
  hostCheck({
    id: `discovery/answers-${verb.toLowerCase()}`,
    clauses: ["DISC-1"],
    async run(t) {
      const { expect } = t;
      const { id } = await findHost(t);
      const subjects = SUFFIXES.map((suffix) => `$SRV.${verb}${suffix.replace("<id>", `${id}`)}`);
      const answers = await Promise.all(subjects.map((subject) => askHost(t, subject, id)));
      for (const [index, subject] of subjects.entries()) {
        expect.equal(answers[index]!.length, 1, `answers of the host to ${subject}`);
        const { type, name, version } = answers[index]![0]!;
        expect.equal(
          { type, name },
          { type: `io.nats.micro.v1.${verb.toLowerCase()}_response`, name: "membus" },
          `type and name of the answer to ${subject}`,
        );
        expect.holds(
          /^\d+\.\d+\.\d+/.test(`${version}`),
          `\`version\` of the answer to ${subject}`,
          version,
          "x.y.z",
        );
      }
    },
  }),
);

const serviceChecks: readonly Check[] = [
  hostCheck({
    id: "discovery/another-id-is-not-answered",
    clauses: ["DISC-1"],
    async run(t) {
      const { id } = await findHost(t);
      const other = newRequestId();
      const [own, others, named] = await Promise.all([
        askHost(t, `$SRV.PING.membus.${id}`, id),
        t.askServices(`$SRV.PING.membus.${other}`),
        t.askServices(`$SRV.PING.other-${other}`),
      ]);
      t.expect.equal(own.length, 1, "answers to $SRV.PING.membus and the host's id");
      t.expect.equal(others.length, 0, "answers to $SRV.PING.membus and an unknown host id");
      const ofHost = named.filter((answer) => answer.id === id);
      t.expect.equal(ofHost.length, 0, "answers of the host to $SRV.PING and the name of another service");
    },
  }),
  hostCheck({
    id: "discovery/info-names-the-endpoints",
    clauses: ["DISC-1"],
    async run(t) {
      const { endpoints } = await findHost(t);
      const served = listOf(endpoints).map(({ subject, queue_group }) => ({
        subject: `${subject}`,
        queue_group,
      }));
      const offered = OPERATIONS.filter((name) => name !== "list" || t.features.list);
      for (const operation of [...offered, "ping"]) {
        const subject = t.subject(operation);
        const groups = served
          .filter((one) => subjectMatches(one.subject, subject))
          .map((one) => one.queue_group);
        t.expect.equal(groups, ["membus"], `queue groups of the endpoints in $SRV.INFO that take ${subject}`);
      }
    },
  }),
  hostCheck({
    id: "discovery/stats-count-requests",
    clauses: ["DISC-1"],
    async run(t) {
      const { expect } = t;
      const { id } = await findHost(t);
      const before = await countsOf(t, `${id}`);
      for (let sent = 0; sent < 3; sent++) await t.send("ping", { type: "ping", id: newRequestId() });
      await t.send("retrieve", { type: "memory/retrieve/req", limit: "many" });
      const after = await countsOf(t, `${id}`);
      expect.atLeast(
        after.requests,
        before.requests + 4,
        "sum of `num_requests` in $SRV.STATS after 4 requests more",
      );
      expect.atLeast(
        after.errors,
        before.errors + 1,
        "sum of `num_errors` in $SRV.STATS after a refused request more",
      );
    },
  }),
];

/** Returns the sums over all endpoints. Each must have the fields of the NATS micro protocol. */
async function countsOf(t: HostContext, id: string): Promise<{ requests: number; errors: number }> {
  const subject = `$SRV.STATS.membus.${id}`;
  const [stats] = await askHost(t, subject, id);
  const { started, endpoints } = stats ?? {};
  t.expect.holds(
    Number.isFinite(Date.parse(`${started}`)),
    `\`started\` of the answer to ${subject}`,
    started,
    "a time",
  );
  const counted = listOf(endpoints);
  t.expect.atLeast(counted.length, 1, `endpoints in the answer to ${subject}`);
  const numbers = ["num_requests", "num_errors", "processing_time", "average_processing_time"];
  for (const endpoint of counted) {
    const missing = numbers.filter((name) => typeof endpoint[name] !== "number");
    t.expect.equal(missing, [], `numbers that the endpoint ${endpoint.name} of ${subject} lacks`);
  }
  const sum = (name: string) => counted.reduce((total, endpoint) => total + Number(endpoint[name]), 0);
  return { requests: sum("num_requests"), errors: sum("num_errors") };
}

const metadataChecks: readonly Check[] = [
  hostCheck({
    id: "discovery/metadata-names-what-is-offered",
    clauses: ["DISC-2"],
    async run(t) {
      const { expect } = t;
      const metadata = recordOf((await findHost(t)).metadata);
      const notTexts = Object.entries(metadata).filter(([, value]) => typeof value !== "string");
      expect.equal(notTexts, [], "metadata of $SRV.INFO other than strings, which NATS requires");
      const { protocol_version, tiers, tenants, features } = metadata;
      expect.holds(
        /^1\.\d+$/.test(`${protocol_version}`),
        "metadata.protocol_version",
        protocol_version,
        "1.x",
      );
      const manifests = manifestsOf(t, metadata.plugins);
      expect.sameMembers(
        `${tiers}`.split(","),
        Object.keys(manifests),
        "metadata.tiers, equal to the tiers with a manifest in metadata.plugins",
      );
      const served = `${tenants}`.split(",");
      const missing = t.tenants.filter((tenant) => !served.includes(tenant) && !served.includes("*"));
      expect.equal(missing, [], `served tenants that metadata.tenants (${tenants}) does not name`);
      const offered = (Object.keys(FEATURES) as Feature[]).filter((feature) =>
        Object.values(manifests).some((manifest) => manifest.features[feature]),
      );
      expect.sameMembers(
        `${features}`.split(",").filter((name) => Object.hasOwn(FEATURES, name)),
        offered,
        "metadata.features, equal to the features that any manifest declares",
      );
    },
  }),
  hostCheck({
    id: "discovery/metadata-names-limits",
    clauses: ["DISC-2"],
    async run(t) {
      const { limits } = recordOf((await findHost(t)).metadata);
      const named = recordOf(parsedOf(limits));
      t.expect.equal(
        Object.keys(LIMITS).filter((name) => typeof named[name] !== "number"),
        [],
        "limits without a number in metadata.limits, as JSON",
      );
    },
  }),
  hostTierCheck({
    id: "discovery/metadata-names-the-embedder",
    clauses: ["DISC-2"],
    features: ["similarity"],
    async run(t) {
      const { embedder_id, embedder_dimensions } = recordOf((await findHost(t)).metadata);
      t.expect.holds(
        typeof embedder_id === "string" && embedder_id !== "",
        "metadata.embedder_id of a host with a tier that declares similarity",
        embedder_id,
        "the embedder's id",
      );
      const dimensions = Number(embedder_dimensions);
      t.expect.holds(
        Number.isInteger(dimensions) && dimensions > 0,
        "metadata.embedder_dimensions of a host with a tier that declares similarity",
        embedder_dimensions,
        "a number",
      );
    },
  }),
  hostCheck({
    id: "discovery/pong-names-host-and-tiers",
    clauses: ["DISC-4", "ENV-13"],
    async run(t) {
      const { expect } = t;
      const id = newRequestId();
      const { message } = await t.send("ping", { type: "ping", id });
      expect.equal(message.type, "pong", "type of the reply to a ping");
      expect.equal(message.req_id, id, "`req_id` of a pong, the id of its ping");
      const host = await findHost(t);
      const { tiers } = recordOf(host.metadata);
      expect.equal(message.host_id, host.id, "`host_id` of a pong, the id that the host has in $SRV.INFO");
      expect.equal(message.tiers, `${tiers}`.split(","), "`tiers` of a pong, equal to those in $SRV.INFO");
    },
  }),
];

/** Returns the manifests by tier. Each must match the contract. */
function manifestsOf({ expect }: HostContext, plugins: unknown): Record<string, PluginManifest> {
  const manifests = recordOf(parsedOf(plugins));
  expect.notEqual(Object.keys(manifests), [], "tiers in metadata.plugins, manifests by tier as JSON");
  for (const [tier, manifest] of Object.entries(manifests)) {
    const problem = PluginManifestSchema.safeParse(manifest).error?.issues[0];
    expect.equal(
      problem?.path.join("."),
      undefined,
      `invalid field of the ${tier} manifest in metadata.plugins`,
    );
  }
  return manifests as Record<string, PluginManifest>;
}

/**
 * Counts the answers to a request before and after the suite joins the queue group of its subject and answers
 * too.
 */
async function countAnswers(
  { bus, subject: subjectFor }: HostContext,
  operation: string,
  fields: Readonly<Message>,
): Promise<{ subject: string; before: number; among: number[] }> {
  const [subject, payload] = [subjectFor(operation), encodeMessage(fields, "json")];
  const ask = async () => (await answersTo(bus, subject, payload, FLOOD_WAITS)).length;
  const before = await ask();
  const take = ({ reply }: { reply?: string }) => bus.publish(reply!, payload);
  const member = bus.subscribe(subject, take, { queue: "membus" });
  try {
    await bus.flush();
    return { subject, before, among: await Promise.all(Array.from({ length: PINGS }, ask)) };
  } finally {
    await member.drain();
  }
}

const subscriptionChecks: readonly Check[] = [
  hostCheck({
    id: "discovery/queue-group",
    clauses: ["SUBJ-7"],
    turn: "alone",
    async run(t) {
      const counted = await Promise.all([
        countAnswers(t, "ping", { type: "ping" }),
        countAnswers(t, "status", { type: "memory/status/req", request_id: newRequestId() }),
      ]);
      for (const { subject, before, among } of counted) {
        t.expect.equal(before, 1, `answers to ${subject} before the suite joins the queue group`);
        t.expect.equal(
          among,
          among.map(() => 1),
          `answers to each of ${PINGS} requests on ${subject} while the suite is in its queue group \`membus\` and answers too`,
        );
      }
    },
  }),
];

export const discoveryChecks: readonly Check[] = [
  ...discoveryHostsChecks,
  ...microChecks,
  ...serviceChecks,
  ...metadataChecks,
  ...subscriptionChecks,
  ...discoveryOwnerChecks,
];
