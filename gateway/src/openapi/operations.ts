/** An operation of OpenAPI 3.1, without the parts that `openApiDocument` adds. */
export interface Operation {
  readonly tag: "A2E" | "MCP" | "OpenAI" | "Health" | "Description";
  readonly summary: string;
  readonly description?: string;
  readonly security: "none" | "session" | "token";
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: object;
  }[];
  /** Schema of the JSON body. Absent: no body. */
  readonly body?: object;
  /** Responses by status: a description, and the media type with its schema. */
  readonly responses: Readonly<
    Record<number, readonly [description: string, type?: string, schema?: object]>
  >;
}

const JSON_TYPE = "application/json";
const EVENTS_TYPE = "text/event-stream";
const ERROR = { $ref: "#/components/schemas/Error" };
const TEXT = { type: "string" };

const errorResponse = (description: string) => [description, JSON_TYPE, ERROR] as const;
const TOO_MANY = errorResponse("Too many requests are open. Retry later");
const NO_SESSION = {
  400: errorResponse("X-Session-Id is missing"),
  404: errorResponse("No such session"),
};
const UNKNOWN_TOKEN = { 401: errorResponse("The token is missing or unknown") };

const NAMESPACE = {
  name: "namespace",
  in: "path",
  required: true,
  description: "Namespace of the memories: 1..8 segments of at most 64 characters, separated by %2F",
  schema: TEXT,
};

const ID = { name: "id", in: "path", required: true, schema: TEXT };

const MCP_CALL: Operation = {
  tag: "MCP",
  summary: "Send one MCP message",
  description: "A POST with the method `subscriptions/listen` is answered by a stream of notifications.",
  security: "token",
  body: { $ref: "#/components/schemas/JsonRpcMessage" },
  responses: {
    200: ["The reply", JSON_TYPE, { $ref: "#/components/schemas/JsonRpcMessage" }],
    202: ["Accepted. The message needs no reply"],
    ...UNKNOWN_TOKEN,
    403: errorResponse("An access token lacks a scope, an agent or a tenant"),
    404: errorResponse("The namespace is invalid"),
    503: TOO_MANY,
  },
};

/** A request that is passed on to the model server. */
function forwarded(summary: string, description: string, method: "get" | "post" | "delete"): Operation {
  return {
    tag: "OpenAI",
    summary,
    description,
    security: "token",
    ...(method === "post" && { body: { type: "object" } }),
    responses: {
      200: ["The response of the model server", JSON_TYPE, { type: "object" }],
      ...UNKNOWN_TOKEN,
      413: errorResponse("The body is too large"),
      502: errorResponse("The model server cannot be reached"),
      503: TOO_MANY,
    },
  };
}

const PASSED_ON = "Passed on to the model server without changes.";
const WITH_MEMORY =
  "Passed on to the model server. With a memory header the memories of the user are added, and the turn is remembered.";

/** Operations by method and path, as OpenAPI writes them. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "post /session": {
    tag: "A2E",
    summary: "Open a session",
    description: "The id of the session is its secret.",
    security: "none",
    responses: {
      200: ["The session", JSON_TYPE, { $ref: "#/components/schemas/NewSession" }],
      503: errorResponse("Too many sessions are open"),
    },
  },
  "get /stream": {
    tag: "A2E",
    summary: "Receive the replies of a session",
    description: "A session has one stream. A second one replaces the first.",
    security: "session",
    responses: { 200: ["Replies, one A2E message per event", EVENTS_TYPE, TEXT], ...NO_SESSION },
  },
  "post /send": {
    tag: "A2E",
    summary: "Send one A2E message",
    description: "Replies and errors come on the stream. A message has at most 1 MiB.",
    security: "session",
    body: { $ref: "#/components/schemas/A2eMessage" },
    responses: {
      200: ["The message was received", JSON_TYPE, { $ref: "#/components/schemas/Received" }],
      ...NO_SESSION,
      503: TOO_MANY,
    },
  },
  "get /health": {
    tag: "A2E",
    summary: "Check the gateway as A2E's SDK does",
    security: "none",
    responses: { 200: ["The gateway runs", JSON_TYPE, { $ref: "#/components/schemas/Health" }] },
  },
  "post /mcp": MCP_CALL,
  "post /mcp/{namespace}": { ...MCP_CALL, parameters: [NAMESPACE] },
  "get /.well-known/oauth-protected-resource": {
    tag: "MCP",
    summary: "Find the authorization server",
    description: "Metadata of RFC 9728. The path of the resource may follow, such as `/mcp`.",
    security: "none",
    responses: { 200: ["The metadata", JSON_TYPE, { type: "object" }] },
  },
  "post /v1/chat/completions": forwarded("Complete a chat", WITH_MEMORY, "post"),
  "post /v1/responses": forwarded("Create a response", WITH_MEMORY, "post"),
  "get /v1/responses/{id}": { ...forwarded("Read a response", PASSED_ON, "get"), parameters: [ID] },
  "delete /v1/responses/{id}": { ...forwarded("Delete a response", PASSED_ON, "delete"), parameters: [ID] },
  "post /v1/conversations": forwarded("Create a conversation", PASSED_ON, "post"),
  "get /v1/conversations/{id}": { ...forwarded("Read a conversation", PASSED_ON, "get"), parameters: [ID] },
  "delete /v1/conversations/{id}": {
    ...forwarded("Delete a conversation", PASSED_ON, "delete"),
    parameters: [ID],
  },
  "post /v1/embeddings": forwarded("Embed texts", PASSED_ON, "post"),
  "get /v1/models": forwarded("List the models", PASSED_ON, "get"),
  "get /healthz": {
    tag: "Health",
    summary: "Check that the process is alive",
    security: "none",
    responses: { 200: ["It is alive", "text/plain", TEXT] },
  },
  "get /readyz": {
    tag: "Health",
    summary: "Check that requests are served",
    security: "none",
    responses: {
      200: ["Requests are served", "text/plain", TEXT],
      503: ["The reason why they are not", "text/plain", TEXT],
    },
  },
  "get /metrics": {
    tag: "Health",
    summary: "Read the metrics in the format of Prometheus",
    description: "On loopback no token is needed.",
    security: "token",
    responses: {
      200: ["The metrics", "text/plain", TEXT],
      401: ["The token is missing or unknown", "text/plain", TEXT],
    },
  },
  "get /openapi.json": {
    tag: "Description",
    summary: "Read this description",
    security: "none",
    responses: { 200: ["An OpenAPI document", JSON_TYPE, { type: "object" }] },
  },
  "get /docs": {
    tag: "Description",
    summary: "Read this description as a page",
    security: "none",
    responses: { 200: ["A page", "text/html", TEXT] },
  },
};
