import { type Message, parseRequest, requestDigest } from "@membus/protocol";
import { type Bus, encodeCursor } from "@membus/protocol/plugin";
import { rewriteRawRequests, rewriteReplies, rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant } from "../mutant.js";

type CursorFields = Parameters<typeof encodeCursor>[0];

const isRetrieve = ({ type }: Message) => type === "memory/retrieve/req";

/** Decodes a cursor. Returns undefined for an invalid one. */
function read(cursor: unknown): CursorFields | undefined {
  try {
    const fields = JSON.parse(Buffer.from(String(cursor), "base64url").toString()) as CursorFields;
    return fields.after === undefined ? undefined : fields;
  } catch {
    return undefined;
  }
}

/** Returns the digest that identifies a request. `without` names additional fields to ignore. */
function digestOf(fields: Message, without: readonly string[] = []): string {
  const { cursor: _, ...asked } = fields;
  return requestDigest(parseRequest(asked), ["limit", "cursor", ...without]);
}

/** Defines a host with cursors that only serve requests with the same `mark` as the first page. */
function boundTo(mark: (fields: Message) => unknown): (bus: Bus) => Bus {
  const marks = new Map<unknown, unknown>();
  return (bus) => {
    const marking = rewriteReplies(bus, (fields, { asked }) => {
      if (typeof fields.cursor === "string" && asked !== undefined) marks.set(fields.cursor, mark(asked));
      return fields;
    });
    return rewriteRequests(marking, (fields) => {
      const isOther = marks.has(fields.cursor) && marks.get(fields.cursor) !== mark(fields);
      return isRetrieve(fields) && isOther ? { ...fields, cursor: "none" } : fields;
    });
  };
}

/** Defines a host with cursors that accept any request. */
function carryingOn(bus: Bus): Bus {
  return rewriteRequests(bus, (fields) => {
    const cursor = isRetrieve(fields) ? read(fields.cursor) : undefined;
    return cursor === undefined
      ? fields
      : { ...fields, cursor: encodeCursor({ ...cursor, digest: digestOf(fields) }) };
  });
}

/** Defines a host that continues a cursor for its first owner. `whose` returns the owner of a subject. */
function continuingForAnyone(subjectFor: (subject: string) => string) {
  return (bus: Bus) => {
    const owners = new Map<unknown, string>();
    const remembering = rewriteReplies(bus, (fields, { request }) => {
      if (typeof fields.cursor === "string" && !owners.has(fields.cursor))
        owners.set(fields.cursor, request.subject);
      return fields;
    });
    return rewriteRawRequests(remembering, (message) => {
      const cursor = /"cursor":"([^"]+)"/.exec(Buffer.from(message.payload).toString())?.[1];
      const owner = owners.get(cursor);
      const isForeign = owner !== undefined && subjectFor(owner) !== subjectFor(message.subject);
      return isForeign ? { ...message, subject: owner } : message;
    });
  };
}

const agentOf = (subject: string) => subject.split(".")[2]!;
const tenantOf = (subject: string) => subject.split(".")[1]!;

export const cursorHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "cursor-bound-to-limit",
    defect: "a cursor is refused with a limit other than the first page's",
    check: "cursor/limit-may-change",
    names: /schema_violation/,
    bus: boundTo(({ limit }) => limit),
  }),
  hostMutant({
    id: "cursor-number-is-an-offset",
    defect: "a cursor of digits is treated as a number of entries to skip",
    check: "cursor/that-is-none-is-refused",
    names: /a retrieve with the unknown cursor "(0|2)"/,
    bus: (bus) =>
      rewriteRequests(bus, ({ cursor, ...fields }) =>
        cursor === undefined || /^\d+$/.test(String(cursor)) ? fields : { ...fields, cursor },
      ),
  }),
  hostMutant({
    id: "cursor-of-any-request",
    defect: "a cursor continues any request",
    check: "cursor/of-another-request-is-refused",
    names: /a retrieve with \{"tags":\["a"\]\}, otherwise equal to the one that returned the cursor/,
    bus: carryingOn,
  }),
  hostMutant({
    id: "cursor-bound-to-deadline",
    defect: "a cursor is refused with a deadline other than the first page's",
    check: "cursor/of-the-same-request-continues",
    names: /schema_violation/,
    bus: boundTo(({ deadline_ms }) => deadline_ms),
  }),
  hostMutant({
    id: "cursor-for-another-agent",
    defect: "a cursor returns the remaining pages of its agent to any agent",
    check: "cursor/gives-another-agent-nothing",
    names: /ids of other agents that an agent gets with the first agent's cursor/,
    bus: continuingForAnyone((subject) => agentOf(subject)),
  }),
  hostMutant({
    id: "cursor-for-another-tenant",
    defect: "a cursor returns the remaining pages of its tenant to any tenant",
    check: "cursor/gives-another-tenant-nothing",
    names: /ids that an agent of another tenant gets by the cursor of the first/,
    bus: continuingForAnyone((subject) => tenantOf(subject)),
  }),
];
