import { asBasic, type RunningHost, startHost } from "@membus/mutants";
import { afterEach, describe, expect, it } from "vitest";
import type { Profile } from "../src/catalogue/profile.js";
import { CHECKS, createHostWorld } from "../src/index.js";
import { runToReport, type SuiteReport } from "../src/report/suite-report.js";
import { textReport } from "../src/report/text-report.js";

const BASIC = ["basic/metadata-names-what-is-offered", "envelope/versions-1-x-accepted"];
const OTHERS = ["encoding/content-type-decides", "list/each-value-with-its-count"];
const PROFILES: readonly Profile[] = [
  { name: "basic", version: "1.0", describes: "", alone: true, checks: BASIC },
  { name: "host", version: "1.0", describes: "", checks: [BASIC[1]!, OTHERS[0]!] },
  { name: "list", version: "1.0", describes: "", features: ["list"], checks: [OTHERS[1]!] },
];

let host: RunningHost;
afterEach(() => host.stop());

async function report(ids: readonly string[]): Promise<SuiteReport> {
  const catalogue = CHECKS.filter(({ id }) => [...BASIC, ...OTHERS].includes(id));
  const selected = catalogue.filter(({ id }) => ids.includes(id));
  const rerun = (id: string) => `run ${id}`;
  const world = await createHostWorld({ ...host.implementation, tiers: ["working"] });
  return runToReport(world, { seed: 5, rerun, catalogue, selected, profiles: PROFILES });
}

function outcomes({ checks }: SuiteReport): Record<string, string> {
  return Object.fromEntries(checks.map(({ id, outcome }) => [id, outcome]));
}

describe("a host with a single profile", () => {
  it("is judged by its checks, and the others do not apply", async () => {
    host = await startHost({ bus: asBasic });
    const whole = await report([...BASIC, ...OTHERS]);
    expect(outcomes(whole)).toEqual({
      "basic/metadata-names-what-is-offered": "pass",
      "envelope/versions-1-x-accepted": "pass",
      "encoding/content-type-decides": "not-applicable",
      "list/each-value-with-its-count": "not-applicable",
    });
    expect(whole.checks.find(({ id }) => id === OTHERS[0])?.cases[0]?.reason).toBe(
      "is not in the profile basic, the only profile of this host",
    );
    expect(whole.profiles.map(({ profile, claimed }) => [profile, claimed])).toEqual([["basic", true]]);
    expect([whole.complete, whole.conformant]).toEqual([true, true]);
    expect(textReport(whole)).toContain("  of other profiles than basic: 2 checks\n");
    expect(textReport(whole)).toContain("\nConformant to basic 1.0.\n");
  });

  it("needs exactly these checks for its verdict", async () => {
    host = await startHost({ bus: asBasic });
    expect(await report(BASIC)).toMatchObject({ complete: true, conformant: true });
    expect(await report(BASIC.slice(1))).toMatchObject({ complete: false, conformant: false });
  });
});

describe("a host that names no profile", () => {
  it("does not run the checks of a profile that other hosts keep alone, and refusals of basic do not apply", async () => {
    host = await startHost();
    const whole = await report([...BASIC, ...OTHERS]);
    expect(outcomes(whole)).toMatchObject({ [BASIC[0]!]: "not-applicable", [OTHERS[0]!]: "pass" });
    expect(whole.profiles.map(({ profile }) => profile)).toEqual(["host", "list"]);
    expect(whole.conformant).toBe(true);
  });
});
