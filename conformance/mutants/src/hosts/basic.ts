import type { Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import type { Mutant } from "../mutant.js";
import { basicEdgeMutants } from "./basic-edges.js";
import { basicMemoryMutants } from "./basic-memory.js";
import { basicMutant, reading, returning } from "./basic-mutant.js";
import { rewriteRawRequests, rewriteRequests, rewriteServices } from "./intercept.js";
import { readingEntries, without } from "./rewrite-entries.js";

const asItIs = (bus: Bus): Bus => bus;

function withMetadata(change: (metadata: Message) => Message) {
  return (bus: Bus) =>
    rewriteServices(bus, (answer) => ({ ...answer, metadata: change(answer.metadata as Message) }));
}

function addressed(change: (subject: string) => string) {
  return (bus: Bus) =>
    rewriteRawRequests(bus, (message) => ({ ...message, subject: change(message.subject) }));
}

const refusalMutants: readonly Mutant[] = [
  basicMutant(
    {
      id: "basic-metadata-without-version",
      defect: "the metadata does not name the version of the protocol",
      check: "basic/metadata-names-what-is-offered",
      names: /texts that the metadata .*"protocol_version"/,
    },
    withMetadata((metadata) => without(metadata, "protocol_version") as Message),
  ),
  basicMutant(
    {
      id: "basic-offers-conditions",
      defect: "the metadata names a feature outside of the profile",
      check: "basic/metadata-names-what-is-offered",
      names: /metadata\.features that are none.*conditional/,
    },
    asItIs,
    { features: "ttl,full_text,conditional" },
  ),
  basicMutant(
    {
      id: "basic-entries-without-seq",
      defect: "returned entries have A2E's fields and some of the host's, and no `seq`",
      check: "basic/replies-have-every-field",
      names: /field entries\.0\.seq/,
    },
    returning((entry) => without(entry, "seq") as Message),
  ),
  basicMutant(
    {
      id: "basic-forget-deletes-on-a-dry-run",
      defect: "`dry_run` is ignored, and the counted entries are deleted",
      check: "basic/other-fields-of-requests-are-unsupported",
      names: /the reply to a forget with \{"dry_run":true\}/,
    },
    reading("forget", (fields) => without(fields, "dry_run")),
  ),
  basicMutant(
    {
      id: "basic-ignores-an-order",
      defect: "`order` is ignored",
      check: "basic/other-fields-of-requests-are-unsupported",
      names: /the reply to a retrieve with \{"order":"newest"\}/,
    },
    reading("retrieve", (fields) => without(fields, "order")),
  ),
  basicMutant(
    {
      id: "basic-drops-metadata",
      defect: "an entry with metadata is acknowledged, and the metadata is lost",
      check: "basic/other-fields-of-entries-are-unsupported",
      names: /fields and codes of the errors/,
    },
    readingEntries((entry) => without(entry, "metadata")),
  ),
  basicMutant(
    {
      id: "basic-stores-over-another-revision",
      defect: "`if_revision` is ignored",
      check: "basic/other-fields-of-entries-are-unsupported",
      names: /fields and codes of the errors/,
    },
    readingEntries((entry) => without(entry, "if_revision")),
  ),
  basicMutant(
    {
      id: "basic-takes-messagepack",
      defect: "MessagePack is accepted although the profile has none",
      check: "basic/messagepack-is-unsupported",
      names: /code of the reply to a \w+ in MessagePack/,
    },
    asItIs,
    { packs: true },
  ),
  basicMutant(
    {
      id: "basic-status-of-nothing",
      defect: "a status and a list are answered",
      check: "basic/other-operations-are-unsupported",
      names: /the reply to a list/,
    },
    asItIs,
    { otherOperations: true },
  ),
  basicMutant(
    {
      id: "basic-reads-one-namespace-of-a-subtree",
      defect: "a subtree is treated as its first namespace",
      check: "basic/other-operations-are-unsupported",
      names: /the reply to a retrieve of a subtree/,
    },
    reading("retrieve", (fields) => ({
      ...fields,
      ...(typeof fields.namespace === "string" && { namespace: fields.namespace.replace("/**", "") }),
    })),
  ),
  basicMutant(
    {
      id: "basic-answers-a-query-unsaid",
      defect: "a query is answered without a declared feature",
      check: "basic/query-is-answered-or-unsupported",
      names: /a query, of a host that names no search/,
    },
    asItIs,
    { features: "ttl" },
  ),
];

const isolationMutants: readonly Mutant[] = [
  basicMutant(
    {
      id: "basic-one-agent",
      defect: "all agents share entries",
      check: "basic/agents-are-apart",
      names: /first store of a key by the second agent: expected "created", got "updated"/,
    },
    addressed((subject) => subject.replace("conformance-second", "conformance-first")),
  ),
  basicMutant(
    {
      id: "basic-no-sessions",
      defect: "sessions are ignored",
      check: "basic/sessions-are-apart",
      names: /first store of a key by one session: expected "created", got "updated"/,
    },
    (bus) => rewriteRequests(bus, (fields) => without(fields, "session_id") as Message),
  ),
  basicMutant(
    {
      id: "basic-namespaces-in-small-letters",
      defect: "namespaces that differ in the case of a letter are equal",
      check: "basic/namespaces-are-apart",
      names: /by one in other letters: expected "created", got "updated"/,
    },
    (bus) =>
      rewriteRequests(bus, (fields) =>
        typeof fields.namespace === "string"
          ? { ...fields, namespace: fields.namespace.toLowerCase() }
          : fields,
      ),
  ),
  basicMutant(
    {
      id: "basic-one-tenant",
      defect: "all tenants share entries",
      check: "basic/tenants-are-apart",
      names: /by the other tenant: expected "created", got "updated"/,
    },
    addressed((subject) => subject.replace(".other.", ".default.")),
  ),
  basicMutant(
    {
      id: "basic-author-is-the-reader",
      defect: "the author of an entry is its reader",
      check: "basic/semantic-is-shared",
      names: /entries of the first agent that the second one reads/,
      tier: "semantic",
    },
    returning((entry, reader) => ({ ...entry, author: reader })),
  ),
];

/** Mutants of hosts of the profile `basic`. */
export const basicMutants: readonly Mutant[] = [
  ...refusalMutants,
  ...isolationMutants,
  ...basicMemoryMutants,
  ...basicEdgeMutants,
];
