import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { callerOf } from "../src/mcp/caller.js";
import { Tokens } from "../src/tokens.js";

const sha256 = createHash("sha256").update("right").digest("hex");
const open = new Tokens({ tokens: [], tenant: "default" });
const closed = new Tokens({ tokens: [{ sha256, tenant: "acme" }], tenant: "default" });

it.each([`/mcp/${"a".repeat(65)}`, "/mcp/*", "/mcp/%ff", "/mcp/"])("says what a namespace is: %s", (path) => {
  expect(callerOf(path, {}, open)).toEqual({
    status: 404,
    error: "invalid namespace after /mcp/: use 1..8 segments of at most 64 characters, without `*`",
  });
});

it("has the same namespace however its slash is written", () => {
  const namespaces = ["/mcp/a/b", "/mcp/a%2Fb"].map((path) => callerOf(path, {}, open));
  const identity = { tenant: "default", agent: "mcp" };
  expect(namespaces).toEqual([
    { identity, namespace: "a/b" },
    { identity, namespace: "a/b" },
  ]);
});

it("says whether a token came", () => {
  const refusals = [{}, { authorization: "Bearer wrong" }].map((headers) =>
    callerOf("/mcp", headers, closed),
  );
  expect(refusals).toEqual([
    { status: 401, error: "a token of the gateway is needed" },
    { status: 401, error: "the gateway does not know this token" },
  ]);
});

it("is `mcp` where the header is empty", () => {
  expect(callerOf("/mcp", { "x-membus-agent": "" }, open)).toMatchObject({ identity: { agent: "mcp" } });
});
