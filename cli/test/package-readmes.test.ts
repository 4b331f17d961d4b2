import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RUN_MS = 60_000;

/** Returns the output of a script from a README. */
async function outputOf(code: string): Promise<string> {
  const args = ["--conditions", "membus-source", "--import", "tsx", "--input-type=module", "--eval", code];
  return (await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: RUN_MS })).stdout;
}

describe.each([
  ["bus", "Hello, alice\n"],
  ["host", "green tea\n"],
  ["plugins/lru", "null 3\n"],
])("the README of %s", (folder, printed) => {
  const readme = readFileSync(`${ROOT}${folder}/README.md`, "utf8");

  it(
    "has an example that prints the shown output",
    async () => {
      const [, code] = /```js\n([\s\S]+?)\n```/.exec(readme)!;
      expect(code).toContain(`// ${printed.trim()}\n`);
      expect(await outputOf(code!)).toBe(printed);
    },
    RUN_MS,
  );

  it("lists every file", () => {
    const rows = readme.split("\n").filter((line) => line.startsWith("| `"));
    const named = rows.flatMap((row) =>
      [...row.split("|")[1]!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
    );
    const files = readdirSync(`${ROOT}${folder}/src`).map((file) => file.replace(/\.ts$/, ""));
    expect(named.toSorted()).toEqual(files.filter((file) => file !== "index").toSorted());
  });
});
