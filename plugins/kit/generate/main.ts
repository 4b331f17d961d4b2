import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import wabt from "wabt";

const SOURCE = new URL("../src/search/rank/sieve.wat", import.meta.url);
const FILE = fileURLToPath(new URL("../src/search/rank/sieve-wasm.ts", import.meta.url));

/** The compiled kernel as a module: a bundle carries it with the code. */
async function compiled(): Promise<string> {
  const module = (await wabt()).parseWat("sieve.wat", readFileSync(SOURCE, "utf8"), { simd: true });
  try {
    module.validate();
    const base64 = Buffer.from(module.toBinary({}).buffer).toString("base64");
    return `/** Compiled from sieve.wat by \`npm run generate\`, base64. Do not edit. */\nexport const SIEVE_WASM =\n  "${base64}";\n`;
  } finally {
    module.destroy();
  }
}

/** Writes the module where it is stale, or with `--check` only says so and fails. */
async function main(check: boolean): Promise<void> {
  const current = await compiled();
  if (existsSync(FILE) && current === readFileSync(FILE, "utf8")) return;
  process.stdout.write(`${check ? "stale" : "wrote"} ${relative(process.cwd(), FILE)}\n`);
  if (check) process.exitCode = 1;
  else writeFileSync(FILE, current);
}

await main(process.argv.includes("--check"));
