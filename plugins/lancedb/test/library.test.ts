import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const LIBRARY = join(PACKAGE, "dist/library");
const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
const lancedb = manifestIn(join(dirname(createRequire(import.meta.url).resolve("@lancedb/lancedb")), ".."));

it("the plugin installs the native library of the bundled version on each platform", () => {
  const isNative = ([name]: [string, string]) => name.startsWith("@lancedb/");
  const native = Object.fromEntries(Object.entries(lancedb.optionalDependencies).filter(isNative));
  expect(Object.keys(native)).toContain("@lancedb/lancedb-linux-x64-gnu");
  expect(manifestIn(PACKAGE).optionalDependencies).toEqual(native);
  expect(new Set(Object.values(native))).toEqual(new Set([lancedb.version]));
});

it("the bundled LanceDB requires only its native library and Apache Arrow", () => {
  // A change of these needs a change of bundle/main.ts.
  expect(Object.keys(lancedb.dependencies)).toEqual(["@opentelemetry/api", "reflect-metadata"]);
  expect(Object.keys(lancedb.peerDependencies)).toEqual(["@types/node", "apache-arrow"]);
  const code = readFileSync(join(LIBRARY, "lancedb.cjs"), "utf8");
  const required = [...code.matchAll(/\brequire\("([^"./][^"]*)"\)/g)].map(([, name]) => name!);
  const packages = required.filter((name) => !/^(?:node:|child_process$|@lancedb\/lancedb-)/.test(name));
  // The client of OpenAI is optional, and membus does not use it.
  expect([...new Set(packages)].sort()).toEqual(["apache-arrow", "openai"]);
});

it("the licences of the bundled libraries are beside them", () => {
  const code = readFileSync(join(LIBRARY, "lancedb.cjs"), "utf8");
  expect(code.split("\n")[0]).toContain(`@lancedb/lancedb ${lancedb.version} `);
  const licences = readFileSync(join(LIBRARY, "LICENSES.txt"), "utf8");
  for (const part of [
    `@lancedb/lancedb ${lancedb.version}\n`,
    "Copyright The LanceDB Authors",
    "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
    "reflect-metadata 0.2.2\n",
  ]) {
    expect(licences).toContain(part);
  }
});

it("a missing native library is reported with the command that installs it", async () => {
  const program = `
    Object.defineProperty(process, "arch", { value: "unknown" });
    const { lancedb } = await import(${JSON.stringify(join(PACKAGE, "src/lancedb.ts"))});
    try { lancedb(); } catch ({ message }) { console.log(message); }`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PACKAGE });
  expect(stdout).toBe(
    `LanceDB's native library for ${process.platform}-unknown is missing: run \`npm install --include=optional\`\n`,
  );
});
