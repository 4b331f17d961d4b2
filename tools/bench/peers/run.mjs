import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * Measures other memory systems: `node tools/bench/peers/run.mjs [--only NAME,...] [--entries N,...] [--json
 * FILE]`.
 *
 * Installs each system from the npm registry into a temporary folder. Stores the same entries one by one, runs
 * the same queries, and removes the folder. membus runs in the same way, over NATS. Requires a build
 * (`npm run build`).
 */
const HERE = fileURLToPath(new URL(".", import.meta.url));
const ADAPTERS = join(HERE, "adapters");

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    entries: { type: "string", default: "1000,5000" },
    json: { type: "string" },
  },
});
const names = values.only?.split(",") ?? (await readdir(ADAPTERS)).map((file) => file.replace(".mjs", ""));
const results = [];
for (const name of names) {
  for (const count of values.entries.split(",")) results.push(await measure(name, count));
}
process.stdout.write(`${table(results)}\n`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);

async function measure(name, count) {
  const folder = await mkdtemp(join(tmpdir(), "membus-peer-"));
  try {
    await writeFile(join(folder, "package.json"), '{"type":"module","private":true}\n');
    await copyFile(join(ADAPTERS, `${name}.mjs`), join(folder, "adapter.mjs"));
    await copyFile(join(HERE, "work.mjs"), join(folder, "work.mjs"));
    await install(folder, name);
    process.stderr.write(`${name}: ${count} entries\n`);
    const output = await run(process.execPath, ["work.mjs", count], folder);
    return { name, entries: Number(count), ...JSON.parse(output.trim().split("\n").at(-1)) };
  } catch (error) {
    return { name, entries: Number(count), failed: String(error.message ?? error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Installs a system. Install scripts run only if the adapter requires them. */
async function install(folder, name) {
  const { packages, compiles = false } = await import(join(ADAPTERS, `${name}.mjs`));
  if (packages.length === 0) return;
  process.stderr.write(`installing ${packages.join(", ")} into ${folder}\n`);
  const scripts = `--ignore-scripts=${!compiles}`;
  await run("npm", ["install", "--no-audit", "--no-fund", scripts, ...packages], folder);
}

async function run(command, args, cwd) {
  const env = { ...process.env, MEMBUS_ROOT: fileURLToPath(new URL("../../..", import.meta.url)) };
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"], timeout: 600_000 });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} exited with code ${code}`);
  return output;
}

function table(rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const head = ["system", "entries", "stores per second", "search p50", "search p99"];
  const body = rows.map(({ name, entries, failed, storesPerSecond, p50, p99 }) =>
    failed === undefined
      ? line([name, entries, Math.round(storesPerSecond), `${p50.toFixed(2)} ms`, `${p99.toFixed(2)} ms`])
      : line([name, entries, `failed: ${failed}`, "", ""]),
  );
  return [line(head), line(head.map(() => "---")), ...body].join("\n");
}
