import { hostMutant, type Mutant } from "../mutant.js";
import { intercept } from "./intercept.js";

export const otherHostsMutants: readonly Mutant[] = [
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
    bus: (bus) =>
      intercept(bus, {
        receive(message, deliver) {
          const text = Buffer.from(message.payload).toString("utf8");
          const older = text.replace('"serving_ms":"0"', '"serving_ms":"1e15"');
          // MessagePack is not text and stays unchanged.
          return deliver(older === text ? message : { ...message, payload: Buffer.from(older) });
        },
      }),
  }),
];
