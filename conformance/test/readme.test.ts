import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { loadProfiles } from "../src/catalogue/profile.js";
import { createProgram } from "../src/cli/program.js";
import { CHECKS } from "../src/index.js";
import { runSuiteCli } from "./run-suite-cli.js";

const README = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");
const COMMANDS = [...README.matchAll(/^npx membus-conformance (.+)$/gm)].map(([, args]) => args!);

it.each(COMMANDS)("shows a valid command: %s", async (args) => {
  const words = [...args.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
  const written = words.map((word) => (/^report\./.test(word) ? "/dev/null" : word));
  const { code, stderr } = await runSuiteCli([...written, "--list"], ".");
  expect(stderr).toBe("");
  expect(code).toBe(0);
});

it("has a few of them", () => {
  expect(COMMANDS.length).toBeGreaterThanOrEqual(4);
});

it("explains every existing option and no other", () => {
  const throughHost = { launch: () => Promise.reject(new Error("no host can be started here")) };
  const ofMutants = ["--update"];
  const options = createProgram({ throughHost }).commands.flatMap(({ options }) =>
    options.map(({ long }) => long!),
  );
  const tls = ["--tls-cert", "--tls-key"];
  const connection = ["--nats", ...tls];
  const named = new Set([...README.matchAll(/--[a-z][a-z-]+/g)].map(([name]) => name));
  const missing = [...new Set(options)].filter((name) => !named.has(name) && !connection.includes(name));
  expect(missing).toEqual([]);
  const known = [...options, ...ofMutants];
  expect([...named].filter((name) => !known.includes(name))).toEqual([]);
});

it("names existing checks and profiles", () => {
  const ids = new Set(CHECKS.map(({ id }) => id));
  const areas = new Set(CHECKS.map(({ area }) => area));
  const named = [...README.matchAll(/`([a-z-]+)\/([a-z-]+)`|^([a-z-]+\/[a-z-]+):/gm)];
  const cited = named
    .map(([, area, rest, id]) => id ?? `${area}/${rest}`)
    .filter((id) => areas.has(id.split("/")[0]!));
  expect(cited.filter((id) => !ids.has(id))).toEqual([]);
  for (const { name, version } of loadProfiles()) {
    expect(README).toContain(`| [${name}](profiles/${name}-${version}.yaml) |`);
  }
});
