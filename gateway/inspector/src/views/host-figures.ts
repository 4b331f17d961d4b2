import type { HostHealth } from "@membus/gateway/inspector-api";
import { counted, countText } from "../figures.js";

/** Figures of one host, or of several hosts together. */
export interface HostFigures {
  /** Undefined outside a cluster. */
  readonly shards: number | undefined;
  readonly requests: number;
  readonly errors: number;
  readonly waiting: number | undefined;
  /** Entries that are not in storage yet. Undefined without a durable tier. */
  readonly backlog: number | undefined;
}

/** Adds the figures of hosts up. */
export function figuresOf(hosts: readonly HostHealth[]): HostFigures {
  const endpoints = hosts.flatMap((host) => host.endpoints);
  return {
    shards: sumOf(hosts.map(shardsOf)),
    requests: endpoints.reduce((sum, { requests }) => sum + requests, 0),
    errors: endpoints.reduce((sum, { errors }) => sum + errors, 0),
    waiting: sumOf(hosts.flatMap((host) => figuresOfTiers(host, "calls_waiting"))),
    backlog: sumOf(hosts.flatMap((host) => figuresOfTiers(host, "backlog_rows"))),
  };
}

/** Says how many shards of the cluster no host of the list serves. Undefined if each is served, and outside a cluster. */
export function unservedText(hosts: readonly HostHealth[]): string | undefined {
  const all = Math.max(0, ...hosts.flatMap((host) => figuresOfTiers(host, "shard_count")));
  const unserved = all - (figuresOf(hosts).shards ?? 0);
  return unserved > 0 ? `no answering host serves ${unserved} of ${counted(all, "shard")}` : undefined;
}

/** Returns the name of the host in its cluster, or else its id. */
export function nameOf({ name, id }: HostHealth): string {
  return name ?? id;
}

/** Returns the figures in words, without those that no tier reports. */
export function figuresText({ shards, requests, errors, waiting, backlog }: HostFigures): string {
  const texts = [
    shards !== undefined && counted(shards, "shard"),
    `${countText(requests)} requests`,
    `${countText(errors)} errors`,
    `${countText(waiting)} waiting`,
    backlog !== undefined && `${countText(backlog)} to flush`,
  ];
  return texts.filter(Boolean).join(", ");
}

/** A shard is served once all of its tiers are open. */
function shardsOf(host: HostHealth): number | undefined {
  const open = figuresOfTiers(host, "shards");
  return open.length === 0 ? undefined : Math.min(...open);
}

function figuresOfTiers({ tiers }: HostHealth, name: string): number[] {
  return Object.values(tiers).flatMap(({ [name]: figure }) => (typeof figure === "number" ? figure : []));
}

/** Returns undefined without a known figure. */
function sumOf(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, figure) => sum + figure, 0);
}
