import { type Bus, MemoryForgetRequestSchema, type Message } from "@membus/protocol";
import { rewriteReplies, rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant } from "../mutant.js";

const CRITERIA = ["keys", "match", "tags", "group", "since", "until", "where"];

/** A host that reads each forget as if it had other fields. */
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
    defect: "a forget that names the semantic tier alone clears it, as it does in the others",
    check: "forget/shared-tier-needs-all",
    names: /a forget of the semantic tier without criteria and `all`: expected an error/,
    tier: "semantic",
    bus: readingForgets((fields) =>
      hasCriteria(fields) || fields.tier !== "semantic" ? fields : { ...fields, all: true },
    ),
  }),
  hostMutant({
    id: "forget-empty-keys-forget-all",
    defect: "an empty criterion counts as none, and so selects everything",
    check: "forget/empty-criterion-is-refused",
    names: /the reply to a forget with {"keys":\[\].*: expected an error/,
    bus: readingForgets((fields) => withFields(fields, (_, value) => !isEmpty(value))),
  }),
  hostMutant({
    id: "forget-ignores-unknown-field",
    defect: "a field of a forget that the host does not know is ignored",
    check: "forget/unknown-field-is-refused",
    names: /the reply to a forget with .* of which a field is unknown: expected an error/,
    bus: readingForgets((fields) =>
      withFields(fields, (name) => Object.hasOwn(MemoryForgetRequestSchema.shape, name)),
    ),
  }),
  hostMutant({
    id: "forget-deleted-of-last-tier",
    defect: "`deleted` counts what went from the last tier alone",
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
