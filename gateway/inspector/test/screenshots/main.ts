// Writes a picture of every view: `main.ts FOLDER` in light at 1,280 pixels, `main.ts FOLDER --all` also in dark and on a phone.
import { mkdir } from "node:fs/promises";
import { keyHash } from "@membus/protocol";
import { InspectorFixture } from "../inspector-fixture.js";
import { SampleClock, storeTeam } from "./sample-team.js";

interface Look {
  readonly name: string;
  readonly colorScheme: "light" | "dark";
  readonly viewport: { readonly width: number; readonly height: number };
}

const DESK = { width: 1_280, height: 760 };
const PHONE = { width: 390, height: 844 };
const LOOKS: readonly Look[] = [
  { name: "", colorScheme: "light", viewport: DESK },
  { name: "-dark", colorScheme: "dark", viewport: DESK },
  { name: "-phone", colorScheme: "light", viewport: PHONE },
  { name: "-phone-dark", colorScheme: "dark", viewport: PHONE },
];

/** Addresses of the pictures, by the name of the file. */
const VIEWS: Readonly<Record<string, string>> = {
  overview: "#/overview",
  live: "#/live",
  memories: "#/memories?q=morning trains&agent=planner",
  entry: `#/memories?q=trains&entry=${keyHash({ id: "train-digest" })}&at=episodic default&agent=planner`,
  user: "#/users?user=ada",
  conversations: "#/conversations",
  conversation: "#/conversations?id=user:ada",
  blocks: "#/blocks",
  graph: "#/graph",
  playground: `#/playground?request=${JSON.stringify({ query: "trains", tags: ["trains"], limit: 5 })}&agent=planner`,
  health: "#/health",
};

const [folder = "gateway/inspector/pictures", ...flags] = process.argv.slice(2);
const only = flags.filter((flag) => !flag.startsWith("--"));
const fixture = new InspectorFixture();
await mkdir(folder, { recursive: true });
const clock = new SampleClock();
await fixture.start({ inspectorEdit: true }, {}, clock);
try {
  await storeTeam(fixture.alice, clock);
  for (const [name, hash] of Object.entries(VIEWS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    for (const look of flags.includes("--all") ? LOOKS : LOOKS.slice(0, 1)) await picture(name, hash, look);
  }
} finally {
  await fixture.stop();
}

async function picture(name: string, hash: string, look: Look): Promise<void> {
  const { colorScheme, viewport } = look;
  const agent = hash.includes("agent=") ? {} : { agent: "concierge" };
  const { page } = await fixture.open(hash, { ...agent, colorScheme, viewport });
  await page.locator("main [aria-busy], main .plots, main [data-stream=open]").first().waitFor();
  await page.locator("main:not(:has([aria-busy=true]))").waitFor();
  if (name === "health")
    await page.locator("[data-operation=ping] td").first().and(page.getByText(/\d/)).waitFor();
  await page.screenshot({ path: `${folder}/${name}${look.name}.jpg`, type: "jpeg", quality: 60 });
  await page.context().close();
}
