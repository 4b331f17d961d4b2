import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../tidy/root.js";
import { productionSbom, type Sbom } from "../sbom/production-sbom.js";

const SCHEMAS = join(ROOT, "node_modules/@cyclonedx/cyclonedx-library/res/schema");
const schemaOf = (name: string) =>
  JSON.parse(readFileSync(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`), "utf8"));

describe("npm run sbom", () => {
  let sbom: Sbom;
  beforeAll(async () => {
    const program = ["--import", "tsx", join(ROOT, "tools/release/sbom/main.ts")];
    const { stdout } = await promisify(execFile)(process.execPath, program, {
      maxBuffer: 2 ** 26,
      cwd: ROOT,
    });
    sbom = JSON.parse(stdout) as Sbom;
  });

  it("prints a document that follows the schema of CycloneDX 1.5", () => {
    const ajv = new Ajv.default({ strict: false });
    addFormats.default(ajv);
    // Formats of later drafts of JSON Schema. The documents of npm have URLs of web sites in these places.
    for (const format of ["iri-reference", "idn-email"]) ajv.addFormat(format, true);
    for (const name of ["spdx", "jsf-0.82"]) {
      ajv.addSchema(schemaOf(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    }
    const validate = ajv.compile(schemaOf("bom-1.5"));
    validate(sbom);
    expect(validate.errors).toBeNull();
    expect(validate({ ...sbom, bomFormat: "SPDX" })).toBe(false);
  });

  it("lists the libraries that users run, and no development tools", () => {
    expect(sbom.metadata.component.purl).toMatch(/^pkg:npm\/membus@/);
    const names = new Set(
      sbom.components.map(({ purl = "" }) => decodeURIComponent(purl).replace(/^pkg:npm\/(.+)@.*/, "$1")),
    );
    const required = [
      "zod",
      "commander",
      "yaml",
      "@lancedb/lancedb",
      "@lancedb/lancedb-linux-x64-gnu",
      "reflect-metadata",
      "@nats-io/transport-node",
      "@membus/host",
      "preact",
    ];
    expect(required.filter((name) => !names.has(name))).toEqual([]);
    const tools = [
      "vitest",
      "typescript",
      "@biomejs/biome",
      "@langchain/core",
      "@membus/bench",
      "@membus/mutants",
    ];
    expect(tools.filter((name) => names.has(name))).toEqual([]);
  });
});

it("follows dependencies from the first packages, without those for development", () => {
  const component = (name: string, value = "false") => ({
    "bom-ref": `${name}@1.0.0`,
    name,
    properties: [{ name: "cdx:npm:package:development", value }],
  });
  const sbom = {
    metadata: { component: component("workspace") },
    components: [
      component("@x/a"),
      component("b"),
      component("c", "true"),
      component("bundled"),
      component("other"),
    ],
    dependencies: [
      { ref: "@x/a@1.0.0", dependsOn: ["b@1.0.0", "c@1.0.0"] },
      { ref: "b@1.0.0", dependsOn: ["@x/a@1.0.0"] },
      { ref: "other@1.0.0", dependsOn: ["b@1.0.0"] },
    ],
  };
  expect(productionSbom(sbom, ["@x/a", "bundled"])).toEqual({
    metadata: { component: component("@x/a") },
    components: [component("b"), component("bundled")],
    dependencies: [
      { ref: "@x/a@1.0.0", dependsOn: ["b@1.0.0"] },
      { ref: "b@1.0.0", dependsOn: ["@x/a@1.0.0"] },
    ],
  });
});
