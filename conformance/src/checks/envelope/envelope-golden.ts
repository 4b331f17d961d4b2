import { type Encoding, encodeMessage, type Message } from "@membus/protocol";
import type { Feature } from "@membus/protocol/plugin";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, SendOptions } from "../../context.js";
import { ExpectationError } from "../../expect.js";
import {
  type AnyOperation,
  answer,
  expectUnderstood,
  forEachOf,
  listOf,
  recordOf,
  refused,
} from "../../fixtures/bare-messages.js";
import {
  bytesOf,
  goldenMessages,
  type InvalidMessage,
  type ValidMessage,
} from "../../fixtures/golden-messages.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { undeclaredIn, undeclaredInEntry } from "../../fixtures/undeclared.js";
import { shown } from "../../report/shown.js";

type Clauses = readonly [string, ...string[]];

/** Adds the message to a failure, because eight are sent at once. */
async function naming(sent: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof ExpectationError ? new ExpectationError({ ...error.discrepancy, sent }) : error;
  }
}

/** Formats JSON as text and MessagePack as hexadecimal digits. */
function shownBytes(bytes: Buffer): string {
  return bytes[0] === 0x7b ? shown(bytes.toString("utf8")) : `0x${bytes.toString("hex", 0, SHOWN_BYTES)}`;
}

const SHOWN_BYTES = 300;

const VALID_FILES: readonly (readonly [file: string, id: string, clauses: Clauses])[] = [
  ["store", "envelope/golden-stores-accepted", ["ENV-1", "LIMIT-2"]],
  ["retrieve", "envelope/golden-retrieves-accepted", ["ENV-1", "ENV-4"]],
  ["where", "envelope/golden-where-trees-accepted", ["CRIT-5", "CRIT-6"]],
  ["other-requests", "envelope/golden-other-requests-accepted", ["ENV-1", "FORGET-3"]],
  ["values", "envelope/golden-values-accepted", ["ENC-4", "ENV-VALUE-3"]],
];

const INVALID_FILES: readonly (readonly [file: string, id: string, clauses: Clauses])[] = [
  ["envelope", "envelope/golden-broken-envelopes-refused", ["ENV-5", "SUBJ-8", "ERR-5"]],
  ["bytes", "envelope/golden-broken-bytes-refused", ["ENC-4", "ENC-7"]],
  ["values", "envelope/golden-broken-values-refused", ["ENV-VALUE-1", "LIMIT-2"]],
  ["store", "envelope/golden-broken-stores-refused", ["ERR-4", "LIMIT-3"]],
  ["retrieve", "envelope/golden-broken-retrieves-refused", ["ERR-4", "CRIT-5"]],
  ["other-requests", "envelope/golden-broken-forgets-refused", ["ERR-4", "FORGET-4"]],
];

/** Fields with optional features, which are removed. Only the values of the other fields are tested. */
const HOST_DEPENDENT = ["requires", "cursor", "embedding", "embedding_model", "mode", "deadline_ms"];
/** Fields that need the embedding or the query of the message. */
const RANKING_DEPENDENT = ["diversity", "rerank"];
/** Fields that need the feature of the same name. */
const FEATURE_DEPENDENT = ["fields", "recency", "expand", "explain"] as const;
const ENTRY_DEPENDENT = ["embedding", "embedding_model", "if_revision", "ttl", "expires_at"];

/** Copies a message to the check's namespace, with a new id and the tier under test. */
function atHome(t: HostContext, golden: Message): Message {
  const { namespace } = t.caller;
  const undeclared = FEATURE_DEPENDENT.filter((name) => !t.features[name]);
  const message = without(golden, [...HOST_DEPENDENT, ...RANKING_DEPENDENT, ...undeclared]);
  const own = String(golden.namespace ?? "").endsWith("/**") ? `${namespace}/**` : namespace;
  if (golden.type === "ping" || golden.type === "memory/status/req")
    return { ...message, id: newRequestId() };
  const tier = golden.tier ? { tier: t.tier } : {};
  // A forget of the shared tier or of all tiers needs `all`. The golden message names another tier.
  const all = golden.type === "memory/forget/req" && golden.tier ? { all: true } : {};
  const order = golden.order === "relevance" ? { order: "newest" } : {};
  const entries = Array.isArray(golden.entries)
    ? { entries: golden.entries.map((one) => ownEntry(t, one)) }
    : {};
  return { ...message, ...tier, ...all, ...order, ...entries, id: newRequestId(), namespace: own };
}

function ownEntry(t: HostContext, entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null) return entry;
  return { ...without(entry as Message, ENTRY_DEPENDENT), tier: t.tier };
}

function without(fields: Message, names: readonly string[]): Message {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function operationOf(text: string): AnyOperation {
  return (/memory\/(store|retrieve|forget|status|list)\/req/.exec(text)?.[1] ?? "ping") as AnyOperation;
}

async function expectAccepted(
  t: HostContext,
  what: string,
  sent: Message,
  golden: ValidMessage,
  encoding: Encoding,
) {
  const operation = operationOf(String(golden.message.type));
  const { message } = await answer(t, what, operation, sent, { encoding });
  expectGoldenUnderstood(t, what, operation, sent, message);
  if (message.type === "error") return;
  const entries: readonly unknown[] = Array.isArray(sent.entries) ? sent.entries : [];
  const errors = listOf(message.errors);
  const found = errors.filter((error) => !isUndeclared(t, sent, entries[Number(error.index)], error));
  t.expect.equal(
    Object.fromEntries(found.map(({ index, code }) => [String(index), code])),
    golden.entry_errors ?? {},
    `errors of entries in the reply to ${what}`,
  );
  const resultCount = listOf(message.receipts).length + errors.length;
  t.expect.equal(resultCount, entries.length, `receipts and errors in the reply to ${what}`);
}

/** Returns whether an entry was refused because it or its store needs an undeclared feature. */
function isUndeclared(t: HostContext, sent: Message, entry: unknown, { code }: Message): boolean {
  const lack = undeclaredIn(sent, t.features) ?? undeclaredInEntry(entry, t.features);
  return code === "unsupported" && lack !== undefined;
}

/**
 * Expects a valid reply. An error for an unknown id or a future kind in a status also counts as understood.
 */
function expectGoldenUnderstood(
  t: HostContext,
  what: string,
  operation: AnyOperation,
  sent: Message,
  message: Message,
): void {
  const isUnknown =
    operation === "status" && ["memory_not_found", "unsupported"].includes(String(message.code));
  if (!isUnknown) expectUnderstood(t, what, operation, sent, message);
}

function validCheck(
  [file, id, clauses]: (typeof VALID_FILES)[number],
  features: readonly Feature[] = [],
): Check {
  return hostCheck({
    id,
    clauses,
    features,
    async run(t) {
      const messages = goldenMessages<ValidMessage>(`valid/${file}.json`);
      t.expect.atLeast(messages.length, 1, `golden messages in valid/${file}.json`);
      for (const encoding of ["json", "msgpack"] as const) {
        await forEachOf(messages, async (golden) => {
          const what = `the golden message "${golden.name}" (valid/${file}.json), here in ${encoding}`;
          const sent = atHome(t, golden.message);
          await naming(shown(sent), () => expectAccepted(t, what, sent, golden, encoding));
          await t.agent({ session: String(sent.session_id ?? "") }).forget({ all: true });
        });
      }
    },
  });
}

/**
 * Returns whether the message is safe to send unchanged: it affects only an unused agent and names no
 * optional tier.
 */
function isHarmless({ message }: ValidMessage): boolean {
  const dependent = ["tier", "requires", "embedding", "cursor", ...RANKING_DEPENDENT, ...FEATURE_DEPENDENT];
  if (message.type === "memory/forget/req" || dependent.some((name) => message[name])) return false;
  return !listOf(message.entries).some(({ tier, embedding }) => tier || embedding);
}

const rawCheck = hostCheck({
  id: "envelope/golden-bytes-accepted",
  clauses: ["ENC-1", "ENC-2", "ENC-4"],
  async run(t) {
    const messages = VALID_FILES.flatMap(([file]) => goldenMessages<ValidMessage>(`valid/${file}.json`));
    const harmless = messages.filter(isHarmless);
    t.expect.atLeast(harmless.length, 30, "golden messages that may be sent as they are");
    await forEachOf(harmless, async (golden) => {
      const agent = `conformance-golden-${t.random.hex(12)}`;
      const contentType = golden.content_type ?? null;
      const what = `the bytes of the golden message "${golden.name}", Content-Type ${contentType}`;
      const operation = operationOf(String(golden.message.type));
      const { message, encoding } = await answer(t, what, operation, bytesOf(golden), { contentType, agent });
      await forgetStored(t, golden.message, agent);
      await naming(shownBytes(bytesOf(golden)), async () => {
        expectGoldenUnderstood(t, what, operation, golden.message, message);
        t.expect.equal(encoding, golden.encoding, `encoding of the reply to ${what}`);
      });
    });
  },
});

/** Deletes the entries that a golden message may have stored for `agent` in the working tier. */
async function forgetStored(
  t: HostContext,
  { namespace, session_id }: Message,
  agent: string,
): Promise<void> {
  const place = { namespace: namespace || "default", session_id, tier: "working" };
  await t.send("forget", { type: "memory/forget/req", ...place, all: true }, { agent });
}

/** Moves a message to the check's namespace, so that a faulty host cannot change other entries. */
function inOwnNamespace(t: HostContext, golden: InvalidMessage): Buffer {
  const bytes = bytesOf(golden);
  const { namespace } = t.caller;
  if (golden.encoding === "msgpack")
    return golden.entry === undefined ? bytes : withFirstField(bytes, { namespace });
  const text = bytes.toString("utf8");
  if (text.includes('"namespace"')) return bytes;
  const field = `,"namespace":${JSON.stringify(namespace)}`;
  const named = text.replace(/^\{"type":"memory\/(store|forget)\/req"/, (head) => head + field);
  return named === text ? bytes : Buffer.from(named, "utf8");
}

/** Adds a first field to a MessagePack map of fewer than 15 fields. */
function withFirstField(packed: Uint8Array, field: Message): Buffer {
  return Buffer.concat([
    Buffer.of(packed[0]! + 1),
    encodeMessage(field, "msgpack").subarray(1),
    packed.subarray(1),
  ]);
}

/** Matches subjects that every host subscribes to. */
const RECEIVED = /^a2e\.[^.]+\.[^.]+\.(memory\.[^.]+\.req|ping)$/;

function subjectOf(t: HostContext, { subject }: InvalidMessage): Pick<SendOptions, "subject"> {
  if (subject === undefined) return {};
  return { subject: subject.replace(/^a2e\.default\./, `${t.prefix}.${t.caller.tenant}.`) };
}

async function expectRefused(t: HostContext, what: string, golden: InvalidMessage): Promise<void> {
  const { code, path, detail = {}, req_id } = golden.error;
  const bytes = inOwnNamespace(t, golden);
  const operation = operationOf(bytes.toString("latin1"));
  const options = { contentType: golden.content_type ?? null, ...subjectOf(t, golden) };
  const codes = isProtoField(bytes) ? PROTO_FIELD_CODES : code;
  const error =
    golden.entry === undefined
      ? await refused(t, what, operation, bytes, codes, options)
      : await refusedEntry(t, what, bytes, golden);
  const isUnread = error.code !== code;
  const mayBeUnread = isUnread || isFarTooDeep(golden);
  const got = { path: error.detail.path, ...pick(error.detail, Object.keys(detail)), req_id: error.req_id };
  const expected = {
    ...got,
    ...(path !== undefined && !isUnread && !isCut(path, error.detail.path) && { path }),
    ...detail,
    ...(req_id !== undefined && !(mayBeUnread && error.req_id === null) && { req_id }),
  };
  t.expect.equal(got, expected, `detail and req_id of the error to ${what}`);
}

/** Both codes are correct (clause ENV-VALUE-1), because some decoders refuse such a field during parsing. */
const PROTO_FIELD_CODES = ["schema_violation", "parse_error"] as const;

function isProtoField(bytes: Buffer): boolean {
  return bytes.includes("__proto__");
}

/** Returns whether the path is truncated, which is allowed for a long name. */
function isCut(path: string, got: unknown): boolean {
  return path.endsWith("…") && typeof got === "string" && got.startsWith(path.slice(0, CUT_SHORTEST));
}

const CUT_SHORTEST = 16;

/**
 * Returns whether the message has thousands of levels. A host may then be unable to read the id (clause
 * ERR-5).
 */
function isFarTooDeep({ error: { detail } }: InvalidMessage): boolean {
  return detail?.limit === "depth" && detail.got === undefined;
}

async function refusedEntry(
  t: HostContext,
  what: string,
  bytes: Uint8Array,
  { entry, error }: InvalidMessage,
) {
  const { message } = await answer(t, what, "store", bytes, { contentType: null });
  const found = listOf(message.errors).find(({ index }) => index === entry);
  t.expect.holds(
    found?.code === error.code,
    `error of entry ${entry} of ${what}`,
    message,
    `code ${error.code}`,
  );
  return { code: found?.code, detail: recordOf(found?.detail), req_id: undefined };
}

function pick(fields: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

function invalidCheck(
  [file, id, clauses]: (typeof INVALID_FILES)[number],
  features: readonly Feature[] = [],
): Check {
  return hostCheck({
    id,
    clauses,
    features,
    async run(t) {
      const messages = goldenMessages<InvalidMessage>(`invalid/${file}.json`);
      const received = messages.filter(({ subject }) => subject === undefined || RECEIVED.test(subject));
      t.expect.atLeast(received.length, 1, `golden messages in invalid/${file}.json`);
      await forEachOf(received, async (golden) => {
        const what = `the golden message "${golden.name}" (invalid/${file}.json)`;
        await naming(shownBytes(inOwnNamespace(t, golden)), () => expectRefused(t, what, golden));
      });
    },
  });
}

export const envelopeGoldenChecks: readonly Check[] = [
  ...VALID_FILES.map((file) => validCheck(file)),
  rawCheck,
  ...INVALID_FILES.map((file) => invalidCheck(file)),
  validCheck(["list", "envelope/golden-lists-accepted", ["ENV-1", "LIST-1"]], ["list"]),
  invalidCheck(["list", "envelope/golden-broken-lists-refused", ["ERR-4", "LIST-7"]], ["list"]),
];
