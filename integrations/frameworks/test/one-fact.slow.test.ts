import type { MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { frameworkPrograms } from "./one-fact/framework-programs.js";
import { GatewayPrograms } from "./one-fact/gateway-programs.js";
import { McpPrograms } from "./one-fact/mcp-programs.js";
import { PLACES, type Program } from "./one-fact/program.js";
import { HAS_PYTHON, NEEDS_PYTHON, PythonProcess } from "./one-fact/python-process.js";
import { pythonPrograms } from "./one-fact/python-programs.js";
import { whoSeesWhose } from "./one-fact/table.js";
import { RealHost } from "./real-host.js";

const AGENT = "alice";
/** One fact per program. The questions are not facts, so that recording them adds none. */
const FACTS = [
  ["Ada plays the violin on Sundays.", "violin of Ada?"],
  ["Ada drives a yellow tractor.", "tractor of Ada?"],
  ["Ada has planted seven plum trees.", "plum trees of Ada?"],
  ["Ada speaks Icelandic with her aunt.", "Icelandic of Ada?"],
  ["Ada keeps her passport in the piano.", "passport of Ada?"],
  ["Ada is allergic to walnuts.", "walnuts of Ada?"],
  ["Ada was born in a lighthouse.", "lighthouse of Ada?"],
  ["Ada collects old telephones.", "telephones of Ada?"],
  ["Ada rows across the fjord at dawn.", "fjord of Ada?"],
  ["Ada repairs clocks for her neighbours.", "clocks of Ada?"],
  ["Ada has a parrot that whistles.", "parrot of Ada?"],
  ["Ada sleeps in a hammock.", "hammock of Ada?"],
  ["Ada bakes bread with chestnuts.", "chestnuts of Ada?"],
  ["Ada votes by letter.", "letter of Ada?"],
  ["Ada studied geology in Graz.", "geology of Ada?"],
  ["Ada lends her ladder to nobody.", "ladder of Ada?"],
  ["Ada swims in the quarry.", "quarry of Ada?"],
  ["Ada writes with green ink.", "ink of Ada?"],
  ["Ada fears thunderstorms.", "thunderstorms of Ada?"],
  ["Ada trains for a marathon.", "marathon of Ada?"],
] as const;

const host = new RealHost();
let memory: MemoryClient;
let python: PythonProcess;
const mcp = new McpPrograms();
const gateway = new GatewayPrograms(AGENT);

const PROGRAMS: readonly Program[] = [
  ...frameworkPrograms(() => memory),
  ...mcp.programs,
  ...gateway.programs,
  ...pythonPrograms(() => python),
];
const CELLS = whoSeesWhose();

beforeAll(async () => {
  await host.start();
  memory = await host.connect({ agent: AGENT });
  await mcp.start(host.url, AGENT, await host.folder());
  await gateway.start(host.url, await host.folder());
  if (HAS_PYTHON) python = new PythonProcess(host.url, AGENT);
  for (const [n, program] of PROGRAMS.entries()) {
    if (HAS_PYTHON || !program.isPython) await program.write(FACTS[n]![0]);
  }
});
afterAll(async () => {
  if (HAS_PYTHON) await python.stop();
  await gateway.stop();
  await mcp.stop();
  await host.close();
});

/** Returns the programs that find a fact. */
async function findersOf(n: number, finders: readonly Program[]): Promise<string[]> {
  const [fact, question] = FACTS[n]!;
  const names: string[] = [];
  for (const finder of finders) {
    const shown = await finder.find(question, PLACES[PROGRAMS[n]!.kept]);
    if (JSON.stringify(shown).includes(fact)) names.push(finder.name);
  }
  return names;
}

/** Returns the programs that find a fact according to the table. */
function expectedOf(n: number, finders: readonly Program[]): string[] {
  return finders.filter(({ kept }) => CELLS.get(`${PROGRAMS[n]!.kept} > ${kept}`)).map(({ name }) => name);
}

async function expectFound(n: number, isPython: boolean): Promise<void> {
  const finders = PROGRAMS.filter((program) => (program.isPython ?? false) === isPython);
  expect(await findersOf(n, finders)).toEqual(expectedOf(n, finders));
}

describe("the programs in the table, and no others, find a fact of", () => {
  for (const [n, { name, isPython }] of PROGRAMS.entries()) {
    if (isPython) {
      it.skipIf(!HAS_PYTHON)(`${name}, in JavaScript (${NEEDS_PYTHON})`, () => expectFound(n, false));
    } else {
      it(`${name}, in JavaScript`, () => expectFound(n, false));
    }
    it.skipIf(!HAS_PYTHON)(`${name}, in Python (${NEEDS_PYTHON})`, () => expectFound(n, true));
  }
});

it("has a cell for every pair of the table", () => {
  const kept = [...new Set(PROGRAMS.map((program) => program.kept))];
  const pairs = kept.flatMap((written) => kept.map((found) => `${written} > ${found}`));
  expect([...CELLS.keys()].toSorted()).toEqual(pairs.toSorted());
});
