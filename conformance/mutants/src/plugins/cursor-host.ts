import { type Bus, encodeCursor, type Message, parseRequest, requestDigest } from "@membus/protocol";
import { rewriteRawRequests, rewriteReplies, rewriteRequests } from "../hosts/intercept.js";
import { hostMutant, type Mutant } from "../mutant.js";

type CursorFields = Parameters<typeof encodeCursor>[0];

const isRetrieve = ({ type }: Message) => type === "memory/retrieve/req";

/** What a cursor holds; undefined for one that is none. */
function read(cursor: unknown): CursorFields | undefined {
  try {
    const fields = JSON.parse(Buffer.from(String(cursor), "base64url").toString()) as CursorFields;
    return fields.after === undefined ? undefined : fields;
  } catch {
    return undefined;
  }
}

/** What a request is taken for the same by, when `without` is left out too. */
function digestOf(fields: Message, without: readonly string[] = []): string {
  const { cursor: _, ...asked } = fields;
  return requestDigest(parseRequest(asked), ["limit", "cursor", ...without]);
}

/** A host whose cursors only serve requests for which `mark` gives the same as for the first page. */
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

/** A host whose cursors carry on, whatever the request is. */
function carryingOn(bus: Bus): Bus {
  return rewriteRequests(bus, (fields) => {
    const cursor = isRetrieve(fields) ? read(fields.cursor) : undefined;
    return cursor === undefined
      ? fields
      : { ...fields, cursor: encodeCursor({ ...cursor, digest: digestOf(fields) }) };
  });
}

/** A host that keeps the place of a cursor with the one who first asked. */
function continuingForAnyone(whose: (subject: string) => string) {
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
      const isForeign = owner !== undefined && whose(owner) !== whose(message.subject);
      return isForeign ? { ...message, subject: owner } : message;
    });
  };
}

const agentOf = (subject: string) => subject.split(".")[2]!;
const tenantOf = (subject: string) => subject.split(".")[1]!;

export const cursorHostMutants: readonly Mutant[] = [
  hostMutant({
    id: "cursor-bound-to-limit",
    defect: "a cursor is refused with another limit than that of the first page",
    check: "cursor/limit-may-change",
    names: /schema_violation/,
    bus: boundTo(({ limit }) => limit),
  }),
  hostMutant({
    id: "cursor-number-is-an-offset",
    defect: "a cursor of digits is taken for a number of entries to pass over",
    check: "cursor/that-is-none-is-refused",
    names: /a retrieve with the cursor "(0|2)", which no page had/,
    bus: (bus) =>
      rewriteRequests(bus, ({ cursor, ...fields }) =>
        cursor === undefined || /^\d+$/.test(String(cursor)) ? fields : { ...fields, cursor },
      ),
  }),
  hostMutant({
    id: "cursor-of-any-request",
    defect: "a cursor continues whatever request it comes with",
    check: "cursor/of-another-request-is-refused",
    names: /a retrieve with \{"tags":\["a"\]\}, and else as the one whose cursor it has/,
    bus: carryingOn,
  }),
  hostMutant({
    id: "cursor-bound-to-deadline",
    defect: "a cursor is refused with another deadline than that of the first page",
    check: "cursor/of-the-same-request-continues",
    names: /schema_violation/,
    bus: boundTo(({ deadline_ms }) => deadline_ms),
  }),
  hostMutant({
    id: "cursor-for-another-agent",
    defect: "who has the cursor gets the rest of the pages of the agent that it was made for",
    check: "cursor/gives-another-agent-nothing",
    names: /ids that another agent gets by the cursor of the first/,
    bus: continuingForAnyone((subject) => agentOf(subject)),
  }),
  hostMutant({
    id: "cursor-for-another-tenant",
    defect: "who has the cursor gets the rest of the pages of the tenant that it was made for",
    check: "cursor/gives-another-tenant-nothing",
    names: /ids that an agent of another tenant gets by the cursor of the first/,
    bus: continuingForAnyone((subject) => tenantOf(subject)),
  }),
];
