// Runs the suite on the sound subjects, then the mutants whose check or id begins with an argument, and prints what each said.
import { createLruPlugin } from "@membus/plugin-lru";
import { CHECKS, type CheckResult, createHostWorld, createPluginWorld, runSuite } from "../src/index.js";
import { startHost } from "./host-under-test.js";
import { MUTANTS } from "./index.js";
import { judge } from "./judge.js";
import { ReferencePlugin } from "./reference/reference-plugin.js";

const areas = process.argv.slice(2);
const wanted = (id: string) => areas.length === 0 || areas.some((area) => id.startsWith(area));
const checks = CHECKS.filter(({ id }) => wanted(id));
const print = (name: string, results: readonly CheckResult[]) => {
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  console.log(name, "pass", count("pass"), "n/a", count("not-applicable"));
  for (const { id, outcome, cases } of results) {
    if (outcome === "pass" || outcome === "not-applicable") continue;
    const worst = cases.find((one) => one.outcome === outcome)!;
    console.log(
      " ",
      outcome,
      id,
      worst.tier,
      worst.discrepancy ?? worst.reason,
      JSON.stringify(worst.calls?.at(-1)),
    );
  }
};
for (const tier of ["working", "semantic"] as const) {
  const world = await createPluginWorld({
    name: "reference",
    tier,
    createPlugin: () => new ReferencePlugin(),
  });
  print(`reference ${tier}`, await runSuite(checks, world, { seed: 1 }));
}
print(
  "lru",
  await runSuite(checks, await createPluginWorld({ name: "lru", createPlugin: () => createLruPlugin() }), {
    seed: 1,
  }),
);
const host = await startHost();
print("host", await runSuite(checks, await createHostWorld(host.subject), { seed: 1 }));
await host.stop();
for (const mutant of MUTANTS.filter(({ id, check }) => wanted(check) || wanted(id))) {
  const { ok, turned_red, said } = await judge(mutant, process.env.ALL ? CHECKS : checks);
  console.log(
    ok ? "killed " : "ALIVE  ",
    mutant.id,
    ok ? "" : `${mutant.check} said: ${said}`,
    turned_red.join(" "),
  );
}
