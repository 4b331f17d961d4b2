export type { BucketOptions, BucketValue, NatsBucket } from "./nats-bucket.js";
export { NatsBus } from "./nats-bus.js";
export { connectNatsBus, natsBusFromConnection } from "./nats-connect.js";
export {
  type ExistingConnectionOptions,
  NATS_BUS_DEFAULTS,
  type NatsBusOptions,
  NatsBusOptionsSchema,
  type NatsTlsOptions,
  serverAddress,
} from "./nats-options.js";
