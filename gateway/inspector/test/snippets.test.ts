import { expect, it } from "vitest";
import { requestIn, requestOf } from "../src/views/playground/request.js";
import { snippetsOf } from "../src/views/playground/snippets.js";

const REQUEST = {
  query: "it's late",
  limit: 3,
  explain: true,
  where: { field: "tags", op: "exists", value: false },
};
const text = (language: string, who = { tenant: "default", agent: "alice" }, prefix = "a2e") =>
  snippetsOf(REQUEST, who, prefix).find((snippet) => snippet.language === language)!.text;

it("a request for nats is quoted for the shell", () => {
  expect(text("nats")).toBe(
    `nats req a2e.default.alice.memory.retrieve.req '{"type":"memory/retrieve/req","query":"it'\\''s late","limit":3,"explain":true,"where":{"field":"tags","op":"exists","value":false}}'`,
  );
});

it("the subject encodes a name that is no token", () => {
  expect(text("nats", { tenant: "acme", agent: "Zoë?>" }, "bus.x")).toMatch(
    /^nats req bus\.x\.acme\.=Wm_Dqz8-\.memory\.retrieve\.req '/,
  );
});

it("a program in TypeScript leaves defaults out, and imports the package that users install", () => {
  expect(text("TypeScript")).toMatch(/^import \{ MemoryClient \} from "membus";\n/);
  expect(text("TypeScript")).toContain('connect({ servers: "nats://127.0.0.1:4222", agent: "alice" });');
  expect(text("TypeScript", { tenant: "acme", agent: "a" }, "bus")).toContain(
    'agent: "a", tenant: "acme", prefix: "bus" });',
  );
});

it("a program in Python has values of Python", () => {
  expect(text("Python")).toBe(`import membus

with membus.connect("nats://127.0.0.1:4222", agent="alice") as client:
    reply = client.retrieve(
        query="it's late",
        limit=3,
        explain=True,
        where={"field": "tags", "op": "exists", "value": False},
    )
    print(reply["entries"])`);
});

it("a form becomes a request without its empty fields", () => {
  const form: Record<string, string> = {
    query: " tea ",
    limit: "5",
    tags: "a, b,",
    "recency.half_life_s": "60",
    "recency.weight": "0.5",
    rerank: "on",
    where: '{"field":"tags","op":"exists","value":true}',
  };
  expect(requestOf((path) => form[path] ?? "")).toEqual({
    query: "tea",
    limit: 5,
    tags: ["a", "b"],
    recency: { half_life_s: 60, weight: 0.5 },
    rerank: true,
    where: { field: "tags", op: "exists", value: true },
  });
});

it.each([["{"], ["[]"], ["null"], ["1"], [null]])("the text %j is no request", (given) => {
  expect(requestIn(given)).toBeUndefined();
});
