import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { resolveConfig } from "../../cli/src/config/resolve-config.js";
import { CHART, hasHelm, type KubernetesObject, lintChart, renderChart } from "./helm.js";

const TOKEN = { sha256: "a".repeat(64), tenant: "acme", agent: "alice" };
const OAUTH = { issuer: "https://login.example.com", resource: "https://memory.example.com/mcp" };
const EVERYTHING = {
  nats: {
    url: "tls://nats.example.com:4222",
    auth: "nkeys",
    files: { "host.nk": "SUHOST", "gateway.nk": "SUGATEWAY" },
    caSecret: "nats-ca",
  },
  gateway: { enabled: true, inspector: true, tokens: [TOKEN], oauth: OAUTH, hosts: ["memory.example.com"] },
  config: { audit: true },
};

const textOf = (file: string) => readFileSync(join(CHART, file), "utf8");

describe("the values of the chart", () => {
  const validate = new Ajv.default().compile(JSON.parse(textOf("values.schema.json")));

  it("follow their schema by default", () => {
    validate(parse(textOf("values.yaml")));
    expect(validate.errors).toBeNull();
  });

  it("may set everything", () => {
    validate(EVERYTHING);
    expect(validate.errors).toBeNull();
  });

  it.each([
    ["an unknown setting", { replicas: 2 }],
    ["a misspelled setting", { nats: { url: "nats://nats:4222", existing_secret: "a" } }],
    ["an address without a scheme", { nats: { url: "nats:4222" } }],
    [
      "a secret of the user and of the chart",
      { nats: { url: "nats://n", existingSecret: "a", files: { "host.nk": "S" } } },
    ],
    ["a gateway without tokens and OAuth", { gateway: { enabled: true, tokens: [], oauth: {} } }],
    ["a token that is not hashed", { gateway: { tokens: [{ sha256: "secret", tenant: "acme" }] } }],
    ["a setting that the chart makes", { config: { data: "/tmp" } }],
    ["a cluster without hosts", { cluster: { enabled: true, hosts: 0 } }],
    ["a monitoring address without a scheme", { cluster: { monitoring: ["nats-0.nats:8222"] } }],
  ])("refuse %s", (_name, values) => {
    expect(validate(values)).toBe(false);
  });
});

describe.skipIf(!hasHelm)(
  "the chart (needs helm, or the package helm-python-sdk of MEMBUS_TEST_HELM)",
  () => {
    it("has no errors or warnings", () => {
      expect(lintChart()).toBe("");
    });

    it("would be found with an error", () => {
      const folder = mkdtempSync(join(tmpdir(), "membus-chart-"));
      try {
        cpSync(CHART, folder, { recursive: true });
        writeFileSync(join(folder, "templates/configmap.yaml"), "{{ .Values.missing.name }}");
        expect(lintChart(folder)).toContain("templates/");
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it("needs no values", async () => {
      const objects = renderChart({});
      expect(namesOf(objects)).toEqual([
        "ConfigMap demo-membus",
        "Service demo-membus",
        "StatefulSet demo-membus",
      ]);
      expect(await settingsOf(objects)).toMatchObject({
        health: { port: 9464, host: "0.0.0.0" },
        http: false,
      });
      expect(find(objects, "StatefulSet").spec).toMatchObject({
        replicas: 1,
        template: {
          spec: {
            securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
            terminationGracePeriodSeconds: 90,
            containers: [
              {
                image: "membus-host:0.1.0",
                env: [
                  { name: "NATS_URL", value: "nats://nats:4222" },
                  { name: "MEMBUS_DATA", value: "/var/lib/membus/data" },
                ],
                securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
                livenessProbe: { httpGet: { path: "/healthz", port: "health" } },
                readinessProbe: { httpGet: { path: "/readyz", port: "health" } },
              },
            ],
          },
        },
        volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "20Gi" } } } }],
      });
    });

    it("mounts keys from a secret and serves the gateway to callers with a token", async () => {
      const objects = renderChart(EVERYTHING);
      expect(namesOf(objects)).toEqual([
        "ConfigMap demo-membus",
        "Secret demo-membus-nats",
        "Service demo-membus",
        "Service demo-membus-http",
        "StatefulSet demo-membus",
      ]);
      expect(find(objects, "Secret").stringData).toEqual({ "host.nk": "SUHOST", "gateway.nk": "SUGATEWAY" });
      const hosts = ["demo-membus-http", "demo-membus-http.prod", "demo-membus-http.prod.svc"];
      expect(await settingsOf(objects)).toMatchObject({
        audit: true,
        http: true,
        gateway: {
          listen: "0.0.0.0:8765",
          inspector: true,
          tokens: [TOKEN],
          oauth: OAUTH,
          hosts: [...hosts, "demo-membus-http.prod.svc.cluster.local", "memory.example.com"],
        },
      });
      const { containers, volumes } = podOf(objects);
      expect(containers[0]!.env.slice(2)).toEqual([
        { name: "MEMBUS_NATS_AUTH", value: "/etc/membus/auth" },
        { name: "MEMBUS_NATS_TLS_CA", value: "/etc/membus/ca/ca.crt" },
      ]);
      expect(volumes.slice(2)).toEqual([
        { name: "auth", secret: { secretName: "demo-membus-nats", defaultMode: 0o440 } },
        { name: "ca", secret: { secretName: "nats-ca", defaultMode: 0o440 } },
      ]);
    });

    it("uses credentials of an existing secret", () => {
      const { containers, volumes } = podOf(renderChart({ nats: { auth: "creds", existingSecret: "mine" } }));
      const value = "/etc/membus/auth/keys/host.creds";
      expect(containers[0]!.env.slice(2)).toEqual([{ name: "MEMBUS_NATS_CREDENTIALS", value }]);
      expect(volumes[2]).toEqual({ name: "auth", secret: { secretName: "mine", defaultMode: 0o440 } });
    });

    it("makes several hosts without a volume of a cluster", async () => {
      const cluster = { enabled: true, hosts: 5, name: "memory", storeSecret: "objects" };
      const objects = renderChart({ nats: { url: "nats://a:4222,nats://b:4222" }, cluster });
      expect(namesOf(objects)).toEqual([
        "ConfigMap demo-membus",
        "Deployment demo-membus",
        "PodDisruptionBudget demo-membus",
        "Service demo-membus",
      ]);
      const settings = await settingsOf(objects);
      expect(settings).toMatchObject({ cluster: { name: "memory" }, http: false });
      expect(settings.cluster).not.toHaveProperty("monitoring");
      expect(find(objects, "Deployment").spec).toMatchObject({ replicas: 5 });
      expect(find(objects, "PodDisruptionBudget").spec).toMatchObject({ maxUnavailable: 1 });
      const { containers, volumes } = podOf(objects, "Deployment");
      expect(containers[0]).toMatchObject({
        env: [{ name: "NATS_URL", value: "nats://a:4222,nats://b:4222" }],
        envFrom: [{ secretRef: { name: "objects" } }],
      });
      expect(volumes).toHaveLength(2);
    });

    it("names the monitoring of the nats-servers of a cluster", async () => {
      const monitoring = ["http://nats-0.nats:8222", "https://nats-1.nats:8222"];
      const objects = renderChart({ cluster: { enabled: true, storeSecret: "objects", monitoring } });
      expect((await settingsOf(objects)).cluster).toMatchObject({ name: "membus", monitoring });
    });

    it.each([
      ["without the secret of its store", { storeSecret: "" }, {}, "cluster.storeSecret"],
      ["with a gateway", { storeSecret: "objects" }, { enabled: true, tokens: [TOKEN] }, "gateway.enabled"],
    ])("refuses a cluster %s", (_, cluster, gateway, message) => {
      expect(() => renderChart({ cluster: { enabled: true, ...cluster }, gateway })).toThrow(message);
    });

    it("refuses keys that no secret has", () => {
      expect(() => renderChart({ nats: { auth: "nkeys" } })).toThrow("set nats.existingSecret or nats.files");
    });
  },
);

function namesOf(objects: readonly KubernetesObject[]): string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
}

function find(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  return objects.find((object) => object.kind === kind)!;
}

interface Pod {
  readonly containers: readonly { readonly env: readonly object[] }[];
  readonly volumes: readonly object[];
}

function podOf(objects: readonly KubernetesObject[], kind = "StatefulSet"): Pod {
  return (find(objects, kind).spec as { template: { spec: Pod } }).template.spec;
}

/** Returns the settings that the host reads from the rendered membus.yaml. */
async function settingsOf(objects: readonly KubernetesObject[]): ReturnType<typeof resolveConfig> {
  const folder = mkdtempSync(join(tmpdir(), "membus-chart-"));
  try {
    const configPath = join(folder, "membus.yaml");
    writeFileSync(configPath, find(objects, "ConfigMap").data!["membus.yaml"]!);
    return await resolveConfig({ flags: {}, env: {}, configPath });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
