import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mappingLines } from "@membus/cluster/routing";
import { expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { PINNED_RELEASE } from "../../tools/nats-server/src/install/release.js";
import type { KubernetesObject } from "./helm.js";

const path = (file: string) => new URL(`../${file}`, import.meta.url);
const text = readFileSync(path("cluster/kubernetes.yaml"), "utf8");
const objects = parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
const find = (kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name)!;

it("kubernetes.yaml is valid YAML without doubled keys", () => {
  expect(parseAllDocuments(text).flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(new Set(names).size).toBe(names.length);
});

it("its servers have a valid configuration with the mapping of 16 shards", () => {
  const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = find("ConfigMap", "nats").data!["nats-server.conf"]!;
  const lines = (lined: string) => lined.split("\n").map((line) => line.trim());
  expect(lines(config)).toEqual(expect.arrayContaining(lines(mappingLines("a2e", 16))));
  writeFileSync(join(folder, "nats.conf"), config);
  const env = { ...process.env, POD_NAME: "nats-0" };
  const check = spawnSync(NATS_SERVER, ["-t", "-c", join(folder, "nats.conf")], { env, encoding: "utf8" });
  expect([check.status, check.stderr]).toEqual([0, expect.stringContaining("is valid")]);
});

it("its servers run the pinned release on separate machines, and at most one is stopped at a time", () => {
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [expect.anything()] };
  const containers = [{ image: `nats:${PINNED_RELEASE.version}-alpine` }];
  expect(find("StatefulSet", "nats").spec).toMatchObject({
    replicas: 3,
    template: { spec: { affinity: { podAntiAffinity }, containers } },
  });
  expect(find("PodDisruptionBudget", "nats").spec).toMatchObject({ maxUnavailable: 1 });
});

it("its cluster is the one of the documented values of the chart", () => {
  const guide = readFileSync(path("../docs/operate/cluster.md"), "utf8");
  const [, yaml] = /The file `values.yaml`:\n\n```yaml\n([\s\S]+?)```/.exec(guide)!;
  const { nats, cluster } = parse(yaml!) as { nats: { url: string }; cluster: { storeSecret: string } };
  const containers = [{ env: [{ name: "NATS_URL", value: nats.url }] }];
  expect(find("Job", "membus-init").spec).toMatchObject({ template: { spec: { containers } } });
  expect(find("Secret", cluster.storeSecret)).toBeDefined();
});
