import type { HostParts } from "@membus/conformance";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { intercept } from "./intercept.js";

/** Replaces text of every message to a host. MessagePack is not text and stays unchanged. */
const replacing = (from: string, to: string) => (bus: Bus) =>
  intercept(bus, {
    receive(message, deliver) {
      const text = Buffer.from(message.payload).toString("utf8");
      const replaced = text.replace(from, to);
      return deliver(replaced === text ? message : { ...message, payload: Buffer.from(replaced) });
    },
  });

/** Puts every host but the first of a prefix into another cluster. */
function inAnotherCluster(): (parts: HostParts) => HostParts {
  const prefixes = new Set<string>();
  return (parts) => {
    if (!prefixes.has(parts.prefix)) return prefixes.add(parts.prefix) && parts;
    return { ...parts, cluster: "zero" };
  };
}

export const otherHostsMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-names-no-other-cluster",
    defect: "a host outside a cluster names one",
    check: "host-plugins/names-its-cluster",
    names: /`cluster` of the metadata of a host outside a cluster: expected \[null\], got \["one"\]/,
    parts: (parts) => ({ ...parts, cluster: "one" }),
  }),
  hostMutant({
    id: "host-plugins-takes-every-cluster-for-its-own",
    defect: "a host starts beside one of another cluster",
    check: "host-plugins/starts-beside-a-host-of-its-cluster",
    names:
      /starting a host of the cluster two beside one of the cluster one: expected "refused", got "started"/,
    parts: (parts) => ({ ...parts, ...(parts.cluster && { cluster: "one" }) }),
  }),
  hostMutant({
    id: "host-plugins-starts-beside-no-host-of-its-cluster",
    defect: "a host does not start beside one of its cluster that it finds",
    check: "host-plugins/starts-beside-a-host-of-its-cluster",
    names:
      /starting a host of the cluster one beside one of the cluster one: expected "started", got "refused"/,
    parts: inAnotherCluster(),
  }),
  hostMutant({
    id: "host-plugins-stops-for-its-cluster",
    defect: "a host stops for an older one of its cluster",
    check: "host-plugins/stops-for-no-host-of-its-cluster",
    names: /after one of the cluster one appeared: expected true, got false/,
    bus: replacing('"cluster":"one"', '"cluster":"zero"'),
  }),
  hostMutant({
    id: "host-plugins-stops-for-no-host-beside-a-cluster",
    defect: "a host of a cluster stops for no host of another one",
    check: "host-plugins/stops-for-no-host-of-its-cluster",
    names: /after one of the cluster two appeared: expected false, got true/,
    bus: replacing('"cluster":"two"', '"cluster":"one"'),
  }),
  hostMutant({
    id: "host-plugins-looks-for-others-at-start-alone",
    defect: "a serving host stops querying for other hosts",
    check: "host-plugins/stops-for-one-that-has-served-longer",
    names: /one of its prefix appeared that has served for ten hours: expected false, got true/,
    bus: (bus) =>
      intercept(bus, {
        publish(sent, publish) {
          if (sent.subject !== "$SRV.INFO.membus") publish(sent);
        },
      }),
  }),
  hostMutant({
    id: "host-plugins-stops-for-any-other",
    defect: "a host stops for one with a shorter uptime",
    check: "host-plugins/stops-for-one-that-has-served-longer",
    names: /one of its prefix appeared that has only just begun to serve: expected true, got false/,
    bus: replacing('"serving_ms":"0"', '"serving_ms":"1e15"'),
  }),
];
