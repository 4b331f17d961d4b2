export type { BusDependencies } from "./dependencies.js";
export { createLocalBus, type LocalBus } from "./local-bus.js";
export { LOCAL_BUS_DEFAULTS, type LocalBusOptions } from "./local-options.js";
export type { NatsBus } from "./nats-bus.js";
export { connectNatsBus, natsBusFromConnection } from "./nats-connect.js";
export {
  type ExistingConnectionOptions,
  NATS_BUS_DEFAULTS,
  type NatsBusOptions,
  type NatsTlsOptions,
} from "./nats-options.js";
export { subjectMatches } from "./subject.js";
