import type { HostContext } from "../context.js";
import { listOf, recordOf } from "../fixtures/bare-messages.js";
import { parseJson } from "../host-route/parse-json.js";

type Fields = Readonly<Record<string, unknown>>;

/** What a text holds as JSON; undefined where it is none. */
export function parsedOf(text: unknown): unknown {
  return typeof text === "string" ? parseJson(Buffer.from(text)) : undefined;
}

/** What the host under test says of itself by `$SRV.INFO`, although others may be on the same bus. */
export async function findHost(t: HostContext): Promise<Fields> {
  const answers = await t.askServices("$SRV.INFO.membus");
  const found = answers.filter((answer) => serves(t, answer));
  t.expect.equal(
    found.length,
    1,
    `hosts that answer $SRV.INFO.membus and serve ${t.prefix}.${t.caller.tenant}`,
  );
  return found[0]!;
}

/** By an endpoint that takes its requests, or by the prefix in its metadata; and by the tenants there. */
function serves({ prefix, caller }: HostContext, { metadata, endpoints }: Fields): boolean {
  const { prefix: named, tenants = "*" } = recordOf(metadata);
  const isOfPrefix =
    named === prefix || listOf(endpoints).some(({ subject }) => `${subject}`.startsWith(`${prefix}.`));
  return isOfPrefix && [caller.tenant, "*"].some((tenant) => `${tenants}`.split(",").includes(tenant));
}

/** The answers of one host to a request of the NATS micro protocol. */
export async function askHost(t: HostContext, subject: string, id: unknown): Promise<Fields[]> {
  return (await t.askServices(subject)).filter((answer) => answer.id === id);
}
