import type { Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { discoveryHostsMutants } from "./discovery-hosts.js";
import { discoveryOwnerMutants } from "./discovery-owner.js";
import { intercept, rewriteReplies, rewriteServices, withMetadata } from "./intercept.js";
import { without } from "./rewrite-entries.js";

type Verb = "ping" | "info" | "stats";

function isAnswer({ type }: Message, verb: Verb): boolean {
  return type === `io.nats.micro.v1.${verb}_response`;
}

/** Rewrites the answers to one verb. */
function withAnswer(verb: Verb, change: (answer: Message) => Message | undefined) {
  return (bus: Bus) => rewriteServices(bus, (answer) => (isAnswer(answer, verb) ? change(answer) : answer));
}

/** Drops messages on some subjects. */
function withoutSubject(isMissing: (subject: string) => boolean) {
  return (bus: Bus) =>
    intercept(bus, {
      subscribe: (route) => (isMissing(route.subject) ? { ...route, subject: "membus.unheard" } : route),
    });
}

function withPong(change: (pong: Message) => Message) {
  return (bus: Bus) =>
    rewriteReplies(bus, (message) => (message.type === "pong" ? change(message) : message));
}

function withStats(change: (endpoint: Message) => Message) {
  return withAnswer("stats", (stats) => ({
    ...stats,
    endpoints: (stats.endpoints as Message[]).map(change),
  }));
}

const microMutants: readonly Mutant[] = [
  hostMutant({
    id: "discovery-ping-with-type-of-info",
    defect: "a `$SRV.PING` is answered with all data, typed as an answer to `$SRV.INFO`",
    check: "discovery/answers-ping",
    names: /type and name of the answer to \$SRV\.PING/,
    bus: withAnswer("ping", (answer) => ({ ...answer, type: "io.nats.micro.v1.info_response" })),
  }),
  hostMutant({
    id: "discovery-info-of-membus-alone",
    defect: "`$SRV.INFO` is only answered if it is followed by `membus`",
    check: "discovery/answers-info",
    names: /answers of the host to \$SRV\.INFO:/,
    bus: withoutSubject((subject) => subject === "$SRV.INFO"),
  }),
  hostMutant({
    id: "discovery-version-of-the-protocol",
    defect: "`version` in `$SRV.INFO` is the protocol version, which has no patch level",
    check: "discovery/answers-info",
    names: /`version` of the answer to \$SRV\.INFO/,
    bus: withAnswer("info", (answer) => ({ ...answer, version: "1.0" })),
  }),
  hostMutant({
    id: "discovery-no-stats",
    defect: "`$SRV.STATS` is not answered",
    check: "discovery/answers-stats",
    names: /answers of the host to \$SRV\.STATS:/,
    bus: withAnswer("stats", () => undefined),
  }),
  hostMutant({
    id: "discovery-answers-every-id",
    defect: "a `$SRV.PING` for another id is answered too",
    check: "discovery/another-id-is-not-answered",
    names: /an unknown host id/,
    bus: (bus) =>
      intercept(bus, {
        subscribe: ({ subject, ...options }) => ({
          subject: subject.replace(/^(\$SRV\.PING\.membus)\..*/, "$1.*"),
          ...options,
        }),
      }),
  }),
  hostMutant({
    id: "discovery-info-without-endpoints",
    defect: "`$SRV.INFO` names no endpoint for forgets",
    check: "discovery/info-names-the-endpoints",
    names: /endpoints in \$SRV\.INFO that take \S+\.memory\.forget\.req/,
    bus: withAnswer("info", (info) => ({
      ...info,
      endpoints: (info.endpoints as Message[]).filter(({ name }) => name !== "forget"),
    })),
  }),
  hostMutant({
    id: "discovery-stats-stand-still",
    defect: "the counts in `$SRV.STATS` are always 0",
    check: "discovery/stats-count-requests",
    names: /sum of `num_requests`/,
    bus: withStats((endpoint) => ({ ...endpoint, num_requests: 0 })),
  }),
  hostMutant({
    id: "discovery-stats-without-errors",
    defect: "requests that are refused are not counted as errors",
    check: "discovery/stats-count-requests",
    names: /sum of `num_errors`/,
    bus: withStats((endpoint) => ({ ...endpoint, num_errors: 0 })),
  }),
];

const metadataMutants: readonly Mutant[] = [
  hostMutant({
    id: "discovery-no-features",
    defect: "the metadata of `$SRV.INFO` names no features",
    check: "discovery/metadata-names-what-is-offered",
    names: /metadata\.features/,
    bus: withMetadata((fields) => without(fields, "features")),
  }),
  hostMutant({
    id: "discovery-no-protocol-version",
    defect: "the metadata of `$SRV.INFO` names no protocol version",
    check: "discovery/metadata-names-what-is-offered",
    names: /metadata\.protocol_version/,
    bus: withMetadata((fields) => without(fields, "protocol_version")),
  }),
  hostMutant({
    id: "discovery-tenants-of-others",
    defect: "the metadata of `$SRV.INFO` names the first tenant alone",
    check: "discovery/metadata-names-what-is-offered",
    names: /served tenants/,
    bus: withMetadata((metadata) => ({ ...metadata, tenants: "default" })),
  }),
  hostMutant({
    id: "discovery-no-limits",
    defect: "the metadata of `$SRV.INFO` names no limits",
    check: "discovery/metadata-names-limits",
    names: /metadata\.limits/,
    bus: withMetadata((fields) => without(fields, "limits")),
  }),
  hostMutant({
    id: "discovery-embedder-without-dimensions",
    defect: "the metadata of `$SRV.INFO` names the embedder without its dimensions",
    check: "discovery/metadata-names-the-embedder",
    names: /metadata\.embedder_dimensions/,
    bus: withMetadata((fields) => without(fields, "embedder_dimensions")),
  }),
  hostMutant({
    id: "discovery-pong-without-tiers",
    defect: "a pong names no tiers",
    check: "discovery/pong-names-host-and-tiers",
    names: /`tiers` of a pong/,
    bus: withPong((fields) => without(fields, "tiers")),
  }),
  hostMutant({
    id: "discovery-pong-of-nobody",
    defect: "the `host_id` of a pong is made for each pong",
    check: "discovery/pong-names-host-and-tiers",
    names: /`host_id` of a pong/,
    bus: withPong((pong) => ({ ...pong, host_id: pong.id })),
  }),
];

const subscriptionMutants: readonly Mutant[] = [
  hostMutant({
    id: "discovery-no-queue-group",
    defect: "the host subscribes to requests without a queue group",
    check: "discovery/queue-group",
    names: /while the suite is in its queue group/,
    bus: (bus) => intercept(bus, { subscribe: ({ subject }) => ({ subject }) }),
  }),
];

export const discoveryMutants: readonly Mutant[] = [
  ...microMutants,
  ...metadataMutants,
  ...subscriptionMutants,
  ...discoveryOwnerMutants,
  ...discoveryHostsMutants,
];
