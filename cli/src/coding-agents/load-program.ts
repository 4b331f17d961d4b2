// Runs the program of `membus hook` with the compiled code of an earlier process. Compiling takes a third of the time of
// a hook. Node's own cache lacks the functions that are compiled at their first call, which are most of them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { CompiledCode } from "./compiled-code.js";
import { userFolders } from "./user-folders.js";

const PATH = fileURLToPath(new URL("./program.cjs", import.meta.url));

type Wrapper = (...args: readonly unknown[]) => void;

const source = readFileSync(PATH);
// In the folder with the key of the user's hosts, because only the user can write there.
const compiled = new CompiledCode(join(userFolders(process.env).state, "compiled"), source);
const cachedData = compiled.read();
const code = `(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`;
const script = new Script(code, { filename: PATH, ...(cachedData !== undefined && { cachedData }) });
const module: { exports: Partial<typeof import("./main.js")> } = { exports: {} };
(script.runInThisContext() as Wrapper)(module.exports, createRequire(PATH), module, PATH, dirname(PATH));
await module.exports.main?.(keepCompiled);

/** Keeps what this process has compiled when it ends. V8 may refuse the code of an earlier one. */
function keepCompiled(): void {
  if (cachedData !== undefined && script.cachedDataRejected !== true) return;
  process.once("exit", () => compiled.write(script.createCachedData()));
}
