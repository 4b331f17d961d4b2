import type { ChildProcess } from "node:child_process";
import { MemoryClient } from "@membus/agent-client";
import { LongTermMemory } from "@membus/agentic";
import { mappingLines } from "@membus/cluster/routing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isRecent } from "../../../bus/test/recent-nats-server.js";
import { ClusterStage } from "../../../cli/test/cluster/cluster-stage.js";
import { endChild, lineOf, spawnCli } from "../../../cli/test/run-cli.js";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

const HOSTS = ["a", "b", "c"];
/** The tenant of each shard. */
const TENANTS = ["gamma", "south", "north"];
const MEANS = "where a Chromium and a nats-server 2.14 are installed";

describe.skipIf(CHROMIUM === undefined || !isRecent)(`the inspector of a cluster (${MEANS})`, () => {
  const fixture = new InspectorFixture();
  let stage: ClusterStage;
  let gateway: ChildProcess;
  let url: string;
  const agents: MemoryClient[] = [];
  beforeAll(async () => {
    stage = await ClusterStage.open({ config: mappingLines("a2e", TENANTS.length) });
    // A long lease, so that the shards of a killed host stay without an owner.
    const sizes = ["--shards", String(TENANTS.length), "--lease-ms", "60000"];
    await stage.ok("cluster", "init", "--store", "s3://bucket/memory", ...sizes);
    await Promise.all([fixture.start(), ...HOSTS.map((host) => stage.start(host))]);
    await vi.waitFor(async () => expect((await owners()).toSorted()).toEqual(HOSTS), { timeout: 300_000 });
    for (const tenant of TENANTS) agents.push(await fill(tenant));
    const env = { NATS_URL: stage.urls.join(",") };
    const child = spawnCli(["gateway", "--listen", "127.0.0.1:0"], { cwd: stage.folder, env });
    gateway = child;
    url = (await lineOf(child, /^membus gateway is listening on/)).split(" ").at(-1)!;
  });
  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.close()));
    if (gateway !== undefined) await endChild(gateway, "SIGTERM");
    await stage?.close();
    await fixture.stop();
  });

  /** Returns the host that serves each shard, "" without one. */
  const owners = async () => {
    const { shards } = JSON.parse(await stage.ok("cluster", "status", "--json")) as {
      readonly shards: readonly { readonly host: string; readonly report: { is_serving: boolean } | null }[];
    };
    return shards.map(({ host, report }) => (report?.is_serving ? host : ""));
  };
  /** Stores one entry in the first tenant, two in the second, and three in the third, and a fact about a user. */
  const fill = async (tenant: string) => {
    const timing = { timeoutMs: 5_000, retryTimeoutMs: 120_000 };
    const alice = await MemoryClient.connect({ servers: stage.urls, tenant, agent: "alice", ...timing });
    for (let n = 0; n <= TENANTS.indexOf(tenant); n++)
      await alice.store({ key: `k${n}`, content: `trains of ${tenant}`, tier: "episodic" });
    const facts = new LongTermMemory(alice, { subject: "user:ada" });
    await facts.record(`lives in ${tenant}`, { infer: false });
    await facts.close();
    return alice;
  };
  const open = (view: string, tenant: string, more = "") =>
    fixture.open(`#/${view}?tenant=${tenant}${more}`, { agent: "alice", url });
  const loaded = (page: Page) => page.locator("main [aria-busy=false]").first().waitFor();
  /** Returns the words of each row of hosts. */
  const rowsOf = async (page: Page) => {
    const texts = await page.locator("[data-hosts]").allInnerTexts();
    return texts.map((text) => text.trim().replace(/\s+/g, " "));
  };
  const numbersOf = (row: string) =>
    [...row.matchAll(/(\d+) (?:requests|to flush)/g)].map(([, n]) => Number(n));

  it("shows each host with its shards, and all hosts together", async () => {
    const { page, problems } = await open("overview", "gamma");
    // On a busy machine a host may answer later than the gateway waits.
    await expect
      .poll(async () => {
        await page.reload();
        await loaded(page);
        return (await rowsOf(page)).length;
      })
      .toBe(4);
    const rows = await rowsOf(page);
    const figures = "shards?, \\d+ requests, 0 errors, 0 waiting, \\d+ to flush";
    expect(rows).toEqual([
      ...HOSTS.map((host) =>
        expect.stringMatching(
          new RegExp(`^${host}: serving version \\S+, 1 ${figures} working, episodic, semantic$`),
        ),
      ),
      expect.stringMatching(new RegExp(`^All hosts 3 ${figures}$`)),
    ]);
    const [a, b, c, all] = rows.map(numbersOf);
    expect(all).toEqual([0, 1].map((n) => a![n]! + b![n]! + c![n]!));
    expect(await page.locator("[data-tile=Health]").textContent()).toMatch(/serving\s*3 hosts/);
    await page.getByRole("link", { name: "b: serving" }).click();
    await page.locator("[data-host]", { hasText: "Host b, version" }).waitFor();
    await expect
      .poll(() => page.locator("tr[data-hosts] td:nth-child(4)").allInnerTexts())
      .toEqual(["1", "1", "1", "3"]);
    expect(problems).toEqual([]);
  });

  it.each([
    [0, "2"],
    [1, "3"],
    [2, "4"],
  ])("counts and finds the entries of the tenant of shard %i once", async (shard, entries) => {
    const tenant = TENANTS[shard]!;
    const { page, problems } = await open("overview", tenant);
    await loaded(page);
    expect(await page.locator("[data-tile=Entries] strong").textContent()).toBe(entries);
    expect(await page.locator("[data-bar=episodic] .number").textContent()).toBe(entries);
    // The agents come with another answer.
    await page.locator("[data-agent-row]").first().waitFor();
    expect(await page.locator("[data-agent-row]").count()).toBe(1);
    const found = await open("memories", tenant, "&q=trains");
    await found.page.locator("main", { hasText: `trains of ${tenant}` }).waitFor();
    const user = await open("users", tenant, "&user=ada");
    await user.page.locator("[data-kind=fact]", { hasText: `lives in ${tenant}` }).waitFor();
    expect([...problems, ...found.problems, ...user.problems]).toEqual([]);
  });

  it("is accessible, and fits a phone", async () => {
    const ready = (page: Page) => page.locator("[data-hosts=all]").waitFor();
    await fixture.expectAccessible("#/health?tenant=gamma", "alice", ready, url);
  });

  it("shows the changes of each host, also after one of them stopped", async () => {
    const lives = await Promise.all(TENANTS.map((tenant) => open("live", tenant)));
    const shows = async (text: string) => {
      for (const { page } of lives) await page.locator("[data-stream=open]").waitFor();
      for (const alice of agents) await alice.store({ key: text, content: text, tier: "episodic" });
      for (const { page } of lives) await page.locator(".changes > li", { hasText: text }).first().waitFor();
    };
    await shows("before");
    const health = await open("health", "gamma");
    await health.page.getByRole("link", { name: "c", exact: true }).click();
    await health.page.locator("[data-host]", { hasText: "Host c, version" }).waitFor();
    expect(await stage.end("c", "SIGTERM")).toBe(0);
    await shows("after");
    await health.page.getByText("The chosen host does not answer.").waitFor();
    await expect
      .poll(() => health.page.locator("tr[data-hosts] td:nth-child(4)").allInnerTexts())
      .toSatisfy(([a, b, all]: string[]) => Number(a) + Number(b) === 3 && all === "3");
    expect([...lives, health].flatMap(({ problems }) => problems)).toEqual([]);
  });

  it("says how many shards have no owner after a host was killed", async () => {
    await stage.end("b", "SIGKILL");
    const { page } = await open("overview", "gamma");
    const unserved = /no answering host serves [12] of 3 shards/;
    await expect
      .poll(async () => {
        await page.reload();
        await loaded(page);
        return page.locator("[data-tile=Health]").textContent();
      })
      .toMatch(new RegExp(`not ready\\s*1 host, ${unserved.source}`));
    const health = await open("health", "gamma");
    await health.page.getByText(unserved).waitFor();
  });
});
