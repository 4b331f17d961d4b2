const TEXT = { type: "string" };

/** Schemas that operations refer to. */
export const SCHEMAS = {
  Error: { type: "object", required: ["error"], properties: { error: { description: "The reason" } } },
  NewSession: { type: "object", required: ["session_id"], properties: { session_id: TEXT } },
  Received: { type: "object", required: ["ok"], properties: { ok: { const: true } } },
  Health: { type: "object", required: ["status"], properties: { status: { const: "ok" } } },
  A2eMessage: {
    type: "object",
    required: ["type", "id"],
    properties: {
      type: {
        enum: [
          ...["handshake/req", "ping", "shutdown"],
          ...["memory/init/req", "memory/store/req", "memory/retrieve/req", "memory/forget/req"],
        ],
      },
      id: { ...TEXT, description: "Repeating a message with the same id has no second effect" },
    },
  },
  JsonRpcMessage: {
    type: "object",
    required: ["jsonrpc"],
    properties: { jsonrpc: { const: "2.0" }, method: TEXT, id: { type: ["string", "integer"] } },
  },
} as const;
