import { expect, it } from "vitest";
import { resolveConfig } from "../src/config/resolve-config.js";
import { gatewayOptions } from "../src/gateway/gateway-options.js";

async function oauthOf(oauth: Record<string, unknown>) {
  const config = await resolveConfig({
    flags: { gateway: { oauth } as never },
    env: {},
    configPath: undefined,
  });
  return gatewayOptions(config, {}, {}).oauth;
}

it("passes the settings of OAuth to the gateway", async () => {
  const resource = "https://memory.example.org/mcp";
  const issuer = "https://login.example.org";
  expect(await oauthOf({ issuer, resource })).toEqual({ issuer, resource });
  const all = {
    ...{
      issuer,
      resource,
      audience: "membus",
      jwks_url: "https://login.example.org/keys",
      scopes: ["memory"],
    },
    ...{ agent_claim: "agent", tenant_claim: "org", algorithms: ["ES256"], clock_tolerance_s: 30 },
  };
  expect(await oauthOf(all)).toEqual({
    ...{
      issuer,
      resource,
      audience: "membus",
      jwksUrl: "https://login.example.org/keys",
      scopes: ["memory"],
    },
    ...{ agentClaim: "agent", tenantClaim: "org", algorithms: ["ES256"], clockToleranceS: 30 },
  });
  await expect(oauthOf({ issuer, resource, scope: "a" })).rejects.toThrow("did you mean `scopes`?");
});
