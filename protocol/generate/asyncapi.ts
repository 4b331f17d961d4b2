import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { PROTOCOL_VERSION } from "../src/messages/envelope.js";
import { MESSAGE_SCHEMAS, type MessageType, replyType } from "../src/messages/message-types.js";
import { TIERS } from "../src/scope.js";
import { AGENTS_REQUEST, DEFAULT_PREFIX, OPERATIONS, OPERATOR_TOKEN } from "../src/subjects.js";
import { MESSAGE_TYPES, schemaFileName } from "./json-schemas.js";

type Node = Record<string, unknown>;

const ref = (...path: string[]): Node => ({ $ref: `#/${path.join("/")}` });

const PARAMETERS = {
  prefix: { description: "First tokens of every subject.", default: DEFAULT_PREFIX },
  tenant: { description: "1..64 of A-Z a-z 0-9 _ -", default: "default" },
  agent: { description: "Agent name, or `=` and the base64url of its UTF-8 bytes.", examples: ["alice"] },
  tier: { enum: [...TIERS] },
  action: { enum: ["stored", "forgotten", "expired", "evicted"] },
  hostId: { description: "Host id, a UUID." },
};

function parameters(...names: (keyof typeof PARAMETERS)[]): Node {
  return Object.fromEntries(names.map((name) => [name, ref("components", "parameters", name)]));
}

/** Returns the name that the schema of a message type carries: `memory/store/req` -> `MemoryStoreRequest`. */
function messageName(type: MessageType): string {
  return String(MESSAGE_SCHEMAS[type].meta()?.id);
}

/** Returns references to the messages of a channel, by message name. */
function channelMessages(...types: MessageType[]): Node {
  return Object.fromEntries(
    types.map((type) => [messageName(type), ref("components", "messages", messageName(type))]),
  );
}

/** Returns the channels of a request and its reply, and the host operation that connects them. */
function requestReply(
  name: string,
  request: MessageType,
  ending: string,
  sender: "{agent}" | typeof OPERATOR_TOKEN = "{agent}",
): { channels: Node; operation: Node } {
  const tier = ending.includes("{tier}") ? (["tier"] as const) : [];
  const agent = sender === "{agent}" ? (["agent"] as const) : [];
  const reply = replyType(request) as MessageType;
  const messages = (channel: string, ...types: MessageType[]) =>
    types.map((type) => ref("channels", channel, "messages", messageName(type)));
  return {
    channels: {
      [name]: {
        address: `{prefix}.{tenant}.${sender}.${ending}`,
        messages: channelMessages(request),
        parameters: parameters("prefix", "tenant", ...agent, ...tier),
      },
      [`${name}Reply`]: {
        address: null,
        description: "Reply subject of the request. Starts with an inbox prefix.",
        messages: channelMessages(reply, "error"),
      },
    },
    operation: {
      action: "receive",
      channel: ref("channels", name),
      messages: messages(name, request),
      bindings: { nats: { queue: "membus" } },
      reply: { channel: ref("channels", `${name}Reply`), messages: messages(`${name}Reply`, reply, "error") },
    },
  };
}

function message(type: MessageType): Node {
  const file = schemaFileName(type);
  return {
    name: type,
    headers: {
      type: "object",
      properties: { "Content-Type": { enum: ["application/json", "application/msgpack"] } },
    },
    payload: { schemaFormat: "application/schema+json;version=draft-2020-12", schema: { $ref: `./${file}` } },
  };
}

/** Returns the protocol as an AsyncAPI 3.0 document, from the host's point of view. */
export function asyncApiDocument(): Node {
  const requests: [string, MessageType, string][] = [
    ...OPERATIONS.flatMap((name): [string, MessageType, string][] => [
      [name, `memory/${name}/req`, `memory.${name}.req`],
      [`${name}InTier`, `memory/${name}/req`, `memory.${name}.{tier}.req`],
    ]),
    ["ping", "ping", "ping"],
  ];
  const pairs = requests.map(([name, type, ending]) => [name, requestReply(name, type, ending)] as const);
  pairs.push(["agents", requestReply("agents", AGENTS_REQUEST, "memory.agents.req", OPERATOR_TOKEN)]);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "membus memory protocol",
      version: `${PROTOCOL_VERSION}.0`,
      description: "Memory for agents over NATS. The specification is in ../spec.",
      license: { name: "Apache-2.0" },
    },
    defaultContentType: "application/json",
    channels: {
      ...Object.assign({}, ...pairs.map(([, pair]) => pair.channels)),
      events: eventChannel(),
      reindex: reindexChannel(),
    },
    operations: {
      ...Object.fromEntries(pairs.map(([name, pair]) => [name, pair.operation])),
      events: { action: "send", channel: ref("channels", "events") },
      reindex: { action: "send", channel: ref("channels", "reindex") },
    },
    components: {
      parameters: PARAMETERS,
      messages: Object.fromEntries(MESSAGE_TYPES.map((type) => [messageName(type), message(type)])),
    },
  };
}

function eventChannel(): Node {
  return {
    address: "{prefix}.{tenant}.{agent}.events.memory.{tier}.{action}",
    messages: channelMessages("memory/event"),
    parameters: parameters("prefix", "tenant", "agent", "tier", "action"),
  };
}

function reindexChannel(): Node {
  return {
    address: "{prefix}.$HOST.{hostId}.events.reindex.{tier}",
    messages: channelMessages("memory/reindex"),
    parameters: parameters("prefix", "hostId", "tier"),
  };
}

/**
 * Checks a document against the AsyncAPI 3.0.0 schema and resolves its internal references.
 *
 * @throws {Error} if the schema rejects the document or a reference has no target.
 */
export function checkAsyncApi(document: Node): void {
  const file = createRequire(import.meta.url).resolve("@asyncapi/specs/schemas/3.0.0.json");
  // The document brings its own copy of the draft-07 meta-schema.
  const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync(file, "utf8")) as Node);
  if (!validate(document)) throw new Error(`asyncapi: ${ajv.errorsText(validate.errors)}`);
  for (const [, path] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = path!.split("/").reduce<unknown>((at, name) => (at as Node | undefined)?.[name], document);
    if (target === undefined) throw new Error(`asyncapi: reference #/${path} has no target`);
  }
}
