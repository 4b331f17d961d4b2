import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { intercept, withMetadata } from "./intercept.js";
import { without } from "./rewrite-entries.js";

const SERVING = "discovery/metadata-says-for-how-long-it-serves";
const BEGINS = "discovery/serving-begins-with-the-host";
const YIELDS = "discovery/yields-to-one-that-has-served-longer";
const BESIDE = "discovery/does-not-serve-beside-another";

type Metadata = Readonly<Record<string, unknown>>;

const withServing = (change: (servingMs: number) => unknown) =>
  withMetadata((metadata) => ({ ...metadata, serving_ms: String(change(Number(metadata.serving_ms))) }));

const metadataMutants: readonly Mutant[] = [
  hostMutant({
    id: "discovery-no-state",
    defect: "the metadata has no state",
    check: SERVING,
    names: /state and prefix in metadata of \$SRV\.INFO/,
    // Without the state in its own metadata, a starting host would not recognise itself.
    bus: withMetadata((metadata) => (metadata.state === "serving" ? without(metadata, "state") : metadata)),
  }),
  hostMutant({
    id: "discovery-state-of-a-health-check",
    defect: "the state of a host that serves is `ok`",
    check: SERVING,
    names: /state and prefix in metadata of \$SRV\.INFO/,
    bus: withMetadata((metadata) => ({ ...metadata, state: "ok" })),
  }),
  hostMutant({
    id: "discovery-no-serving-ms",
    defect: "the metadata has no uptime of the host",
    check: SERVING,
    names: /metadata\.serving_ms of \$SRV\.INFO: expected milliseconds/,
    bus: withMetadata((metadata) => without(metadata, "serving_ms")),
  }),
  hostMutant({
    id: "discovery-serving-in-seconds",
    defect: "`serving_ms` is in seconds",
    check: SERVING,
    names: /growth of metadata\.serving_ms/,
    bus: withServing((ms) => Math.floor(ms / 1_000)),
  }),
  hostMutant({
    id: "discovery-serving-as-it-was-at-the-start",
    defect: "the metadata is computed only once, when the host begins to serve",
    check: SERVING,
    names: /growth of metadata\.serving_ms/,
    bus: withServing(() => 0),
  }),
  hostMutant({
    id: "discovery-serving-since-1970",
    defect: "`serving_ms` is the time of the answer",
    check: SERVING,
    names: /metadata\.serving_ms, compared with the time since `started`/,
    bus: withServing((ms) => 1_790_000_000_000 + ms),
  }),
  hostMutant({
    id: "discovery-serving-since-the-first-start",
    defect: "the uptime of a host includes the time before it was killed",
    check: BEGINS,
    names: /metadata\.serving_ms of a host that was killed and started again/,
    bus: withServing((ms) => 3_600_000 + ms),
  }),
];

/** Rewrites the metadata of other hosts. */
function hearing(bus: Bus, change: (metadata: Metadata) => Metadata): Bus {
  const changed = (message: BusMessage): BusMessage => {
    const info = serviceInfo(message);
    if (info === undefined) return message;
    const metadata = change(info.metadata);
    return { ...message, payload: Buffer.from(JSON.stringify({ ...info, metadata })) };
  };
  const received = intercept(bus, { receive: (message, deliver) => deliver(changed(message)) });
  const requestMany: Bus["requestMany"] = async (...request) =>
    (await bus.requestMany(...request)).map(changed);
  return Object.assign(Object.create(received) as Bus, { requestMany });
}

function serviceInfo({ payload }: BusMessage): { readonly metadata: Metadata } | undefined {
  const text = Buffer.from(payload).toString("utf8");
  return text.includes("io.nats.micro.v1.info_response") ? JSON.parse(text) : undefined;
}

/** Drops the metadata of other hosts. */
const deaf = (bus: Bus) =>
  hearing(bus, (metadata) =>
    metadata.serving_ms === "36000000" ? { ...metadata, prefix: "elsewhere" } : metadata,
  );

const otherHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "discovery-asks-never-again",
    defect: "a serving host stops querying for other hosts",
    check: YIELDS,
    names: /the host has stopped 20 s after one appeared/,
    bus: (bus) =>
      intercept(bus, {
        publish(sent, publish) {
          if (sent.subject !== "$SRV.INFO.membus") publish(sent);
        },
      }),
  }),
  hostMutant({
    id: "discovery-yields-to-the-younger",
    defect: "of two hosts the one that has served longer stops",
    check: YIELDS,
    names: /the host has stopped 20 s after one appeared/,
    bus: (bus) =>
      hearing(bus, (metadata) => ({ ...metadata, serving_ms: String(1e7 - Number(metadata.serving_ms)) })),
  }),
  hostMutant({
    id: "discovery-yields-to-the-same-tenants-alone",
    defect: "another host is only recognised by an equal list of tenants, without support for `*`",
    check: YIELDS,
    names: /the host has stopped 20 s after one appeared/,
    bus: (bus) =>
      hearing(bus, (metadata) => (metadata.tenants === "*" ? { ...metadata, tenants: "all" } : metadata)),
    options: { tenants: ["default", "other"] },
  }),
  hostMutant({
    id: "discovery-starts-beside-another",
    defect: "a starting host does not query for other hosts",
    check: BESIDE,
    names: /the host that was started next to one of its prefix has stopped/,
    bus: deaf,
  }),
  hostMutant({
    id: "discovery-starts-beside-one-that-is-older",
    defect: "a starting host yields to other starting hosts, but not to a serving one",
    check: BESIDE,
    names: /the host that was started next to one of its prefix has stopped/,
    bus: (bus) =>
      hearing(bus, (metadata) =>
        metadata.serving_ms === "36000000" ? { ...metadata, state: "busy" } : metadata,
      ),
  }),
  hostMutant({
    id: "discovery-gives-way-to-every-host",
    defect: "a host yields to any other on the server, regardless of its prefix",
    check: BESIDE,
    names:
      /hosts that answer \$SRV\.INFO\.membus and serve|of a host that was started next to one of another prefix/,
    bus: (bus) =>
      hearing(bus, (metadata) =>
        `${metadata.prefix}`.endsWith("-other") ? { ...metadata, prefix: "a2e" } : metadata,
      ),
  }),
];

export const discoveryHostsMutants: readonly Mutant[] = [...metadataMutants, ...otherHostMutants];
