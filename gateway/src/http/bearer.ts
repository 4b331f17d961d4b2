import type { IncomingHttpHeaders } from "node:http";

/** The token of a request, "" for none. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
}
