import { expect, it } from "vitest";
import { redact } from "../src/capture/index.js";

/** Builds a token at run time, so that scanners of the repository find no secret. */
const token = (...parts: string[]) => parts.join("");
const LETTERS = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3";

it.each([
  ["an AWS key", token("AKIA", "ABCDEFGHIJKLMNOP"), "[redacted: aws key]"],
  ["a GitHub token", token("ghp_", LETTERS), "[redacted: github token]"],
  ["a GitLab token", token("glpat-", LETTERS), "[redacted: gitlab token]"],
  ["a Slack token", token("xoxb-", "1234567890-abcdef"), "[redacted: slack token]"],
  ["an npm token", token("npm_", LETTERS), "[redacted: npm token]"],
  ["an OpenAI key", token("sk-", "proj-", LETTERS), "[redacted: api key]"],
  ["a Stripe key", token("sk_live_", LETTERS), "[redacted: stripe key]"],
  ["an nkey seed", token("SUA", "M".repeat(53), "AB"), "[redacted: nkey seed]"],
  ["a JWT", token("eyJhbGciOiJIUzI1", ".eyJzdWIiOiIxMjM0", ".c2lnbmF0dXJl"), "[redacted: jwt]"],
  ["random text", token(LETTERS, LETTERS), "[redacted: random text]"],
])("replaces %s", (_, secret, replaced) => {
  expect(redact(`curl -d ${secret} now`)).toBe(`curl -d ${replaced} now`);
});

it.each([
  ["psql postgres://ada:hunter2@db/shop", "psql postgres://[redacted: credentials]@db/shop"],
  ["curl -H 'Authorization: Bearer abcdefgh12'", "curl -H 'Authorization: [redacted: authorization]'"],
  ["export DB_PASSWORD=hunter2", "export DB_PASSWORD=[redacted: secret]"],
  ['{"api_key": "hunter2"}', '{"api_key": "[redacted: secret]"}'],
  ["login --password hunter2 --user ada", "login --password [redacted: secret] --user ada"],
  ["the password is hunter2", "the password is [redacted: secret]"],
  ["my password is: hunter2x", "my password is: [redacted: secret]"],
  ["az vm create --admin-password Passw0rd99", "az vm create --admin-password [redacted: secret]"],
  ['export PASSWORD="p,4ss word;"', 'export PASSWORD="[redacted: secret]"'],
  ["mysql --password 'correct horse battery'", "mysql --password '[redacted: secret]'"],
  ["DB_PASS=hunter2x make", "DB_PASS=[redacted: secret] make"],
  ["redis-cli -u redis://:hunter2x@host", "redis-cli -u redis://[redacted: credentials]@host"],
  ["write to ada@example.org", "write to [redacted: email]"],
])("replaces the secret in %s", (text, expected) => {
  expect(redact(text)).toBe(expected);
});

it("removes private keys of several lines, also without their end", () => {
  const key = (end: string) => ["a", token("-----BEGIN RSA PRIV", "ATE KEY-----"), "MIIE", end].join("\n");
  expect(redact(`${key(token("-----END RSA PRIV", "ATE KEY-----"))}\nb`)).toBe(
    "a\n[redacted: private key]\nb",
  );
  expect(redact(key("MIIF"))).toBe("a\n[redacted: private key]");
});

it.each([
  ["pnpm test --filter @acme/shop"],
  ["git checkout 2a590dce0b7e022dfab3d4721bbd80c29ffade6f"],
  ["src/capture/SessionJournalWithAVeryLongName2.ts"],
  ["npm run build:production-and-deploy-to-staging"],
  ["the token bucket limits requests"],
])("leaves %s as it is", (text) => {
  expect(redact(text)).toBe(text);
});

it("takes time in proportion to hostile texts", () => {
  for (const part of ["password", "a@", "://a:", "eyJ", "SG.", "-----BEGIN PRIVATE KEY-----\n", "Bearer "]) {
    expect(redact(part.repeat(40_000)).length).toBeGreaterThan(0);
  }
});
