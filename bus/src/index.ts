export type { BusDependencies } from "./dependencies.js";
export { createLocalBus, LOCAL_BUS_DEFAULTS, type LocalBus, type LocalBusOptions } from "./local/index.js";
export {
  connectNatsBus,
  type ExistingConnectionOptions,
  NATS_BUS_DEFAULTS,
  type NatsBus,
  type NatsBusOptions,
  type NatsTlsOptions,
  natsBusFromConnection,
  serverAddress,
} from "./nats/index.js";
export { subjectMatches } from "./subject.js";
