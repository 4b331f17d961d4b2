#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PROGRAM = new URL("../dist/program/main.js", import.meta.url);

if (existsSync(PROGRAM)) await import(PROGRAM.href);
else {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  console.error(`membus: not built yet: run \`npm run build\` in ${root}`);
  process.exitCode = 1;
}
