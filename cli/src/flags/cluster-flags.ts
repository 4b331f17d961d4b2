import type { ConfigFile } from "../config/config-schema.js";
import { definedOnly } from "./defined-only.js";

/** Flags that name a cluster. */
export interface ClusterFlags {
  readonly cluster?: string;
  readonly clusterName?: string;
}

export const CLUSTER_FLAG = [
  "--cluster <urls>",
  "nats-servers of a cluster, such as nats://a,nats://b,nats://c",
] as const;

export const CLUSTER_NAME_FLAG = [
  "--cluster-name <name>",
  "name of the cluster's bucket in NATS (default membus)",
] as const;

/** Returns the settings of these flags. Empty without one of them. */
export function clusterConfig({ cluster: url, clusterName: name }: ClusterFlags): ConfigFile {
  if (url === undefined && name === undefined) return {};
  return { cluster: definedOnly({ name }), ...(url !== undefined && { nats: { url } }) };
}
