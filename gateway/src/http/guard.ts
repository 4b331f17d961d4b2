import type { IncomingMessage } from "node:http";
import { isLoopback, type ResolvedGatewayOptions } from "../options.js";

const NAME_OF_HOST = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/;

/**
 * Keeps out what a page of a stranger may send through the browser of somebody who can reach the gateway: its requests name
 * the stranger's host (a name that was bound anew to this address), or the page's origin. The inspector's own page names the
 * host that it calls, which counts where that is a name of the gateway.
 * @returns why the request is refused, if it is.
 */
export function refusalOf(
  { headers }: IncomingMessage,
  { hosts, origins }: Pick<ResolvedGatewayOptions, "hosts" | "origins">,
): string | undefined {
  const { host = "", origin } = headers;
  const [, six, name] = NAME_OF_HOST.exec(host) ?? [];
  const called = (six ?? name ?? "").toLowerCase();
  const isCalledByName = isLoopback(called) || hosts.includes(called);
  if (!isCalledByName && !hosts.includes("*")) return "foreign host";
  const isOwnPage = isCalledByName && isOriginOf(host, origin);
  if (origin !== undefined && !isOwnPage && !origins.includes(origin)) return "foreign origin";
  return undefined;
}

/** Behind a proxy the page may be another scheme's. */
function isOriginOf(host: string, origin: string | undefined): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
