import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { callerOf } from "../src/mcp/caller.js";
import { Tokens } from "../src/tokens.js";

const sha256 = createHash("sha256").update("right").digest("hex");
const tenant = "default";
const open = { tokens: new Tokens({ tokens: [], tenant }), tenant };
const closed = { tokens: new Tokens({ tokens: [{ sha256, tenant: "acme" }], tenant }), tenant };

it.each([`/mcp/${"a".repeat(65)}`, "/mcp/*", "/mcp/%ff", "/mcp/"])(
  "explains an invalid namespace: %s",
  async (path) => {
    expect(await callerOf(path, {}, open)).toEqual({
      status: 404,
      error: "invalid namespace after /mcp/: use 1..8 segments of at most 64 characters, without `*`",
    });
  },
);

it("decodes slashes of a namespace", async () => {
  const namespaces = await Promise.all(["/mcp/a/b", "/mcp/a%2Fb"].map((path) => callerOf(path, {}, open)));
  const identity = { tenant: "default", agent: "mcp" };
  expect(namespaces).toEqual([
    { identity, namespace: "a/b" },
    { identity, namespace: "a/b" },
  ]);
});

it("distinguishes a missing token from a wrong one", async () => {
  const headers = [{}, { authorization: "Bearer wrong" }];
  const refusals = await Promise.all(headers.map((each) => callerOf("/mcp", each, closed)));
  expect(refusals).toEqual([
    { status: 401, error: "a token of the gateway is needed" },
    { status: 401, error: "the gateway does not know this token" },
  ]);
});

it("uses the agent `mcp` for an empty header", async () => {
  const caller = await callerOf("/mcp", { "x-membus-agent": "" }, open);
  expect(caller).toMatchObject({ identity: { agent: "mcp" } });
});
