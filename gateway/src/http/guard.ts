import type { IncomingMessage } from "node:http";
import { isLoopback, type ResolvedGatewayOptions } from "../options.js";

const NAME_OF_HOST = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/;

/**
 * Keeps out what a page of a stranger may send through the browser of somebody who can reach the gateway: its requests name
 * the stranger's host (a name that was bound anew to this address), or the page's origin.
 * @returns why the request is refused, if it is.
 */
export function refusalOf(
  { headers }: IncomingMessage,
  { hosts, origins }: Pick<ResolvedGatewayOptions, "hosts" | "origins">,
): "foreign_host" | "foreign_origin" | undefined {
  const { host = "", origin } = headers;
  const [, six, name] = NAME_OF_HOST.exec(host) ?? [];
  const called = (six ?? name ?? "").toLowerCase();
  if (!hosts.includes("*") && !isLoopback(called) && !hosts.includes(called)) return "foreign_host";
  if (origin !== undefined && !origins.includes(origin)) return "foreign_origin";
  return undefined;
}
