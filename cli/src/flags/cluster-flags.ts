import type { ConfigFile } from "../config/config-schema.js";
import { definedOnly } from "./defined-only.js";

/** Flags that name a cluster. */
export interface ClusterFlags {
  readonly cluster?: string;
  readonly clusterName?: string;
}

/** Name of a cluster's bucket if none is configured. */
export const DEFAULT_CLUSTER_NAME = "membus";

export const CLUSTER_FLAG = [
  "--cluster <urls>",
  "nats-servers of a cluster, such as nats://a,nats://b,nats://c",
] as const;

export const CLUSTER_NAME_FLAG = [
  "--cluster-name <name>",
  `name of the cluster's bucket in NATS (default ${DEFAULT_CLUSTER_NAME})`,
] as const;

/**
 * Returns the settings of these flags. Empty without one of them.
 * @throws {TypeError} with a data folder too.
 */
export function clusterConfig({
  cluster: url,
  clusterName: name,
  data,
}: ClusterFlags & { readonly data?: string }): ConfigFile {
  if (url === undefined && name === undefined) return {};
  refuseData(data);
  return { cluster: definedOnly({ name }), ...(url !== undefined && { nats: { url } }) };
}

/** @throws {TypeError} for a data folder. */
export function refuseData(data: string | undefined): void {
  if (data === undefined) return;
  throw new TypeError(
    "--data and a cluster exclude each other: leave out --data, or --cluster and `cluster` in membus.yaml",
  );
}

/** @throws {TypeError} for a flag of the embedded nats-server, which a cluster does not use. */
export function refuseEmbedded(flags: { readonly port?: string; readonly natsServer?: string }): void {
  const flag = flags.port === undefined ? flags.natsServer && "--nats-server" : "--port";
  if (!flag) return;
  throw new TypeError(`${flag} is for an embedded nats-server, which a cluster does not start: leave it out`);
}
