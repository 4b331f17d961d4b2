import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import wabt from "wabt";

const SOURCE = new URL("../src/search/rank/prefilter.wat", import.meta.url);
const FILE = fileURLToPath(new URL("../src/search/rank/prefilter-wasm.ts", import.meta.url));

/** Returns the compiled kernel as a TypeScript module, so that bundles include it. */
async function compiled(): Promise<string> {
  const module = (await wabt()).parseWat("prefilter.wat", readFileSync(SOURCE, "utf8"), { simd: true });
  try {
    module.validate();
    const base64 = Buffer.from(module.toBinary({}).buffer).toString("base64");
    return `/** Compiled from prefilter.wat by \`npm run generate\`, base64. Do not edit. */\nexport const PREFILTER_WASM =\n  "${base64}";\n`;
  } finally {
    module.destroy();
  }
}

/** Writes the module if it is stale. With `--check` it reports the stale file and fails instead. */
async function main(check: boolean): Promise<void> {
  const current = await compiled();
  if (existsSync(FILE) && current === readFileSync(FILE, "utf8")) return;
  process.stdout.write(`${check ? "stale" : "wrote"} ${relative(process.cwd(), FILE)}\n`);
  if (check) process.exitCode = 1;
  else writeFileSync(FILE, current);
}

await main(process.argv.includes("--check"));
