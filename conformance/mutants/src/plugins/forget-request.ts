import { MemoryForgetRequestSchema, type Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { rewriteReplies, rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant } from "../mutant.js";

const CRITERIA = ["keys", "match", "tags", "group", "since", "until", "where"];

/** Rewrites forget requests. */
function readingForgets(change: (fields: Message) => Message): (bus: Bus) => Bus {
  return (bus) =>
    rewriteRequests(bus, (fields) => (fields.type === "memory/forget/req" ? change(fields) : fields));
}

function hasCriteria(fields: Message): boolean {
  return CRITERIA.some((name) => fields[name] !== undefined);
}

function isEmpty(value: unknown): boolean {
  return (
    value === "" || (typeof value === "object" && value !== null && Object.values(value).flat().length === 0)
  );
}

function withFields(fields: Message, isWanted: (name: string, value: unknown) => boolean): Message {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => isWanted(name, value)),
  ) as Message;
}

export const forgetRequestMutants: readonly Mutant[] = [
  hostMutant({
    id: "forget-everything-without-all",
    defect: "a forget without tier and criteria forgets everything",
    check: "forget/everything-needs-all",
    names: /a forget without tier, criteria and `all`: expected an error/,
    bus: readingForgets((fields) =>
      hasCriteria(fields) || fields.tier !== undefined ? fields : { ...fields, all: true },
    ),
  }),
  hostMutant({
    id: "forget-shared-tier-without-all",
    defect: "a forget of the whole semantic tier clears it without `all`",
    check: "forget/shared-tier-needs-all",
    names: /a forget of the semantic tier without criteria and `all`: expected an error/,
    tier: "semantic",
    bus: readingForgets((fields) =>
      hasCriteria(fields) || fields.tier !== "semantic" ? fields : { ...fields, all: true },
    ),
  }),
  hostMutant({
    id: "forget-empty-keys-forget-all",
    defect: "an empty criterion is ignored and selects everything",
    check: "forget/empty-criterion-is-refused",
    names: /the reply to a forget with {"keys":\[\].*: expected an error/,
    bus: readingForgets((fields) => withFields(fields, (_, value) => !isEmpty(value))),
  }),
  hostMutant({
    id: "forget-ignores-unknown-field",
    defect: "an unknown field of a forget is ignored",
    check: "forget/unknown-field-is-refused",
    names: /the reply to a forget with .* one of them unknown: expected an error/,
    bus: readingForgets((fields) =>
      withFields(fields, (name) => Object.hasOwn(MemoryForgetRequestSchema.shape, name)),
    ),
  }),
  hostMutant({
    id: "forget-deleted-of-last-tier",
    defect: "`deleted` only counts the entries of the last tier",
    check: "forget/by-tier-adds-up",
    names: /deleted by a forget by tag in all tiers/,
    bus: (bus) =>
      rewriteReplies(bus, (reply) => {
        const { by_tier = {} } = (reply.receipt ?? {}) as { by_tier?: Readonly<Record<string, number>> };
        return reply.receipt === undefined
          ? reply
          : { ...reply, deleted: Object.values(by_tier).at(-1) ?? 0 };
      }),
  }),
];
