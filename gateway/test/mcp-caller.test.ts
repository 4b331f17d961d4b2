import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { callerOf } from "../src/mcp/caller.js";
import { Tokens } from "../src/tokens.js";

const sha256 = createHash("sha256").update("right").digest("hex");
const open = new Tokens({ tokens: [], tenant: "default" });
const closed = new Tokens({ tokens: [{ sha256, tenant: "acme" }], tenant: "default" });

it.each([`/mcp/${"a".repeat(65)}`, "/mcp/*", "/mcp/%ff", "/mcp/"])(
  "explains an invalid namespace: %s",
  (path) => {
    expect(callerOf(path, {}, open)).toEqual({
      status: 404,
      error: "invalid namespace after /mcp/: use 1..8 segments of at most 64 characters, without `*`",
    });
  },
);

it("decodes slashes of a namespace", () => {
  const namespaces = ["/mcp/a/b", "/mcp/a%2Fb"].map((path) => callerOf(path, {}, open));
  const identity = { tenant: "default", agent: "mcp" };
  expect(namespaces).toEqual([
    { identity, namespace: "a/b" },
    { identity, namespace: "a/b" },
  ]);
});

it("distinguishes a missing token from a wrong one", () => {
  const refusals = [{}, { authorization: "Bearer wrong" }].map((headers) =>
    callerOf("/mcp", headers, closed),
  );
  expect(refusals).toEqual([
    { status: 401, error: "a token of the gateway is needed" },
    { status: 401, error: "the gateway does not know this token" },
  ]);
});

it("uses the agent `mcp` for an empty header", () => {
  expect(callerOf("/mcp", { "x-membus-agent": "" }, open)).toMatchObject({ identity: { agent: "mcp" } });
});
