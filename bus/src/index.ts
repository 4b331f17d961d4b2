export type { BusDependencies } from "./dependencies.js";
export { createLocalBus, type LocalBus, type LocalBusOptions } from "./local/index.js";
export {
  type BucketOptions,
  type BucketValue,
  connectNatsBus,
  type ExistingConnectionOptions,
  NATS_BUS_DEFAULTS,
  type NatsBucket,
  type NatsBus,
  type NatsBusOptions,
  NatsBusOptionsSchema,
  type NatsTlsOptions,
  natsBusFromConnection,
  serverAddress,
} from "./nats/index.js";
export { subjectMatches } from "./subject.js";
