import {
  decodeMessage,
  detectEncoding,
  MemoryError,
  type Message,
  parseRequest,
  parseStoreEntry,
} from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { interceptRequests, rewriteReplies, rewriteServices, sendError } from "./intercept.js";
import { isFields, readingEntries, without } from "./rewrite-entries.js";

const OTHER_CRITERIA = ["match", "tags_mode", "group", "since", "until", "where"];

const OTHER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  "memory/store/req": ["ack"],
  "memory/retrieve/req": [
    ...OTHER_CRITERIA,
    ...["embedding", "embedding_model", "order", "cursor", "mode", "include", "fields"],
    ...["recency", "diversity", "expand", "explain", "rerank"],
  ],
  "memory/forget/req": [...OTHER_CRITERIA, "dry_run", "cascade", "purge"],
};

const OTHER_ENTRY_FIELDS = [
  ...["metadata", "text", "context", "group", "occurred_at", "importance", "sources", "embedding"],
  ...["embedding_model", "expires_at", "if_revision"],
];

/** Replaces a field that entries of the profile must not have, because hosts refuse unknown conditions. */
const REFUSED = "if_basic";

export interface BasicParts {
  /** Features in the metadata. Default `ttl,full_text`. */
  readonly features?: string;
  /** Whether it also accepts MessagePack and the operations of other profiles. */
  readonly packs?: boolean;
  readonly otherOperations?: boolean;
}

/** Adds the refusals of the profile `basic` to a host with all features. */
export function asBasic(
  bus: Bus,
  { features = "ttl,full_text", packs = false, otherOperations = false }: BasicParts = {},
): Bus {
  const withServices = rewriteServices(bus, (answer) => withProfile(answer, features));
  const entries = readingEntries((entry) =>
    hasOthers(entry, OTHER_ENTRY_FIELDS) &&
    isAccepted(() => parseStoreEntry(without(entry, ...OTHER_ENTRY_FIELDS)))
      ? { ...entry, [REFUSED]: 1 }
      : entry,
  );
  const shown = entries(
    rewriteReplies(withServices, (reply) => ({ ...reply, ...shownErrors(reply.errors) })),
  );
  return interceptRequests(shown, (message, deliver) => {
    const why = whyRefused(message, features.split(","), { packs, otherOperations });
    if (why === undefined) deliver(message);
    else sendError(bus, message, why.fields, new MemoryError("unsupported", why.text), "json");
  });
}

function whyRefused(
  { subject, payload, headers }: BusMessage,
  features: readonly string[],
  { packs, otherOperations }: Pick<BasicParts, "packs" | "otherOperations">,
): { fields: Message | undefined; text: string } | undefined {
  const contentType = headers["Content-Type"];
  if (!packs && detectEncoding(payload, contentType) === "msgpack")
    return { fields: undefined, text: "MessagePack" };
  const decoded = decodeMessage(payload, { contentType });
  if (!decoded.ok) return undefined;
  const { message: fields } = decoded;
  const isOther =
    /\.memory\.(status|list)\.req$/.test(subject) ||
    /\.memory\.\w+\.(working|episodic|semantic)\.req$/.test(subject);
  const type = String(fields.type);
  if (!subject.endsWith(type.replaceAll("/", ".")) && !isOther) return undefined;
  if (isOther && !otherOperations) return { fields, text: "not an operation of basic" };
  if (!isAccepted(() => parseRequest(without(fields, ...(OTHER_FIELDS[type] ?? []))))) return undefined;
  if (/[^/*]\/\*\*$/.test(String(fields.namespace)) && type !== "memory/store/req")
    return { fields, text: "a subtree" };
  if (hasOthers(fields, OTHER_FIELDS[type] ?? [])) return { fields, text: "a field of other profiles" };
  const requires = Array.isArray(fields.requires) ? fields.requires : [];
  return requires.every((name) => features.includes(name)) ? undefined : { fields, text: "a feature" };
}

/** Returns whether a form is valid. An invalid one is refused before the fields of other profiles. */
function isAccepted(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

function hasOthers(fields: Readonly<Record<string, unknown>>, others: readonly string[]): boolean {
  return others.some((name) => {
    const value = fields[name];
    const isEmpty = value === "" || (Array.isArray(value) && value.length === 0);
    return Object.hasOwn(fields, name) && value !== null && !isEmpty;
  });
}

function shownErrors(errors: unknown): object {
  if (!Array.isArray(errors)) return {};
  const shown = (error: Message) => {
    const isOurs = isFields(error.detail) && error.detail.path === REFUSED;
    return isOurs ? { ...error, code: "unsupported", detail: {} } : error;
  };
  return { errors: errors.map(shown) };
}

function withProfile(answer: Message, features: string): Message {
  const { plugins: _, ...metadata } = answer.metadata as Record<string, string>;
  return { ...answer, metadata: { ...metadata, profile: "basic", features } };
}
