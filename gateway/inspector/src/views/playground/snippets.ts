import type { Who } from "../../api.js";
import type { RetrieveFields } from "./request.js";

export interface Snippet {
  readonly language: string;
  readonly text: string;
}

const SERVER = "nats://127.0.0.1:4222";
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
const DEFAULT_TENANT = "default";
const DEFAULT_PREFIX = "a2e";

/** Returns programs that send the request as the chosen agent. */
export function snippetsOf(request: RetrieveFields, who: Who, prefix: string): readonly Snippet[] {
  return [
    { language: "nats", text: natsText(request, who, prefix) },
    { language: "TypeScript", text: typeScriptText(request, who, prefix) },
    { language: "Python", text: pythonText(request, who, prefix) },
  ];
}

function natsText(request: RetrieveFields, { tenant, agent }: Who, prefix: string): string {
  const subject = `${prefix}.${tenant}.${agentToken(agent)}.memory.retrieve.req`;
  const message = JSON.stringify({ type: "memory/retrieve/req", ...request });
  return `nats req ${subject} ${shellQuoted(message)}`;
}

function typeScriptText(request: RetrieveFields, who: Who, prefix: string): string {
  return `import { MemoryClient } from "membus";

const memory = await MemoryClient.connect({ servers: "${SERVER}"${settings(who, prefix, (name, value) => `, ${name}: ${value}`)} });
const { entries } = await memory.retrieve(${JSON.stringify(request, null, 2)});
console.log(entries);
await memory.close();`;
}

function pythonText(request: RetrieveFields, who: Who, prefix: string): string {
  const fields = Object.entries(request).map(([name, value]) => `        ${name}=${pythonValue(value)},\n`);
  const given = fields.length === 0 ? "" : `\n${fields.join("")}    `;
  return `import membus

with membus.connect("${SERVER}"${settings(who, prefix, (name, value) => `, ${name}=${value}`)}) as client:
    reply = client.retrieve(${given})
    print(reply["entries"])`;
}

/** Leaves defaults out. */
function settings(
  { tenant, agent }: Who,
  prefix: string,
  text: (name: string, value: string) => string,
): string {
  const given = [
    ["agent", agent],
    ["tenant", tenant === DEFAULT_TENANT ? "" : tenant],
    ["prefix", prefix === DEFAULT_PREFIX ? "" : prefix],
  ] as const;
  return given.map(([name, value]) => (value === "" ? "" : text(name, JSON.stringify(value)))).join("");
}

/** Returns the subject token of an agent: its name, or `=` and base64url (clause SUBJ-3). */
function agentToken(agent: string): string {
  if (TOKEN.test(agent)) return agent;
  const bytes = String.fromCharCode(...new TextEncoder().encode(agent));
  return `=${btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function pythonValue(value: unknown): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}: ${pythonValue(inner)}`,
  );
  return `{${fields.join(", ")}}`;
}
