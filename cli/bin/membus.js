#!/usr/bin/env -S MALLOC_ARENA_MAX=4 MALLOC_MMAP_THRESHOLD_=524288 MALLOC_TOP_PAD_=4194304 MALLOC_TRIM_THRESHOLD_=8388608 node --max-semi-space-size=8
// Memory that LanceDB's threads give back to glibc goes back to the system, and the young generation stays small: see README.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The command `hook` has a smaller program, which starts faster. */
const folder = process.argv[2] === "hook" ? "hook" : "program";
const PROGRAM = new URL(`../dist/${folder}/main.js`, import.meta.url);

if (existsSync(PROGRAM)) await import(PROGRAM.href);
else {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  console.error(`membus: not built yet: run \`npm run build\` in ${root}`);
  process.exitCode = 1;
}
