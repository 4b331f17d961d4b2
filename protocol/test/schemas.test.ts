import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { asyncApiDocument, checkAsyncApi } from "../generate/asyncapi.js";
import { MESSAGE_TYPES, schemaFileName } from "../generate/json-schemas.js";
import { limitsTableMarkdown } from "../generate/limits-table.js";
import { withSection } from "../generate/marked-section.js";
import type { MessageType } from "../src/index.js";
import { bytesOf, INVALID, VALID } from "./vector-files.js";

const file = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
const validators = new Map(
  MESSAGE_TYPES.map((type) => [type, ajv.compile(JSON.parse(file(`schemas/${schemaFileName(type)}`)))]),
);

function problems(type: MessageType, message: unknown): string {
  const validate = validators.get(type)!;
  return validate(message) ? "" : ajv.errorsText(validate.errors);
}

describe("the JSON Schemas", () => {
  const described = VALID.filter(({ schema }) => schema !== false);

  it.each(described.map((vector) => [vector.name, vector.message] as const))(
    "describe %s",
    (_name, message) => {
      expect(problems(message.type as MessageType, message)).toBe("");
    },
  );

  it("accept only these invalid requests, because JSON Schema cannot express their rules", () => {
    const unseen = INVALID.filter(({ encoding, error, subject }) => {
      return encoding === "json" && subject === undefined && error.code === "schema_violation";
    }).filter((vector) => {
      const message = JSON.parse(Buffer.from(bytesOf(vector)).toString("utf8")) as { type: MessageType };
      return problems(message.type, message) === "";
    });
    expect(unseen.map(({ name }) => name).sort()).toEqual([
      "-2^53",
      "2^53",
      "2^60",
      "a cursor with diversity",
      "a cursor with rerank",
      "a field __proto__",
      "a field __proto__ of a key",
      "a list of values with a depth",
      "a lone surrogate",
      "a lone surrogate in a name",
      "a nested field __proto__",
      "a number too large for a float",
      "a query vector without its model",
      "all: false",
      "an embedding without a model",
      "an integer beyond 2^53 after doubles and a string of digits",
      "an integer of 22 digits",
      "diversity by time",
      "diversity without a ranking",
      "forget a namespace without all",
      "forget everything without all",
      "forget the shared tier without all",
      "relevance without a query",
      "rerank by time",
      "rerank with only a vector",
      "rerank without a query",
      "surrogates in the wrong order",
      "where: exists with a string",
      "where: in without a list",
    ]);
  });
});

describe("the AsyncAPI document", () => {
  it("is valid, and invalid after any change that breaks it", () => {
    expect(() => checkAsyncApi(asyncApiDocument())).not.toThrow();
    expect(() => checkAsyncApi({ ...asyncApiDocument(), asyncapi: "2.0.0" })).toThrow("asyncapi");
    const broken = asyncApiDocument();
    broken.operations = {
      ...(broken.operations as object),
      lost: { action: "send", channel: { $ref: "#/channels/none" } },
    };
    expect(() => checkAsyncApi(broken)).toThrow("reference #/channels/none has no target");
  });

  it("refers to existing schema files", () => {
    const names = [...file("schemas/asyncapi.yaml").matchAll(/\.\/([\w-]+\.json)/g)].map(([, name]) => name!);
    expect(names.sort()).toEqual(MESSAGE_TYPES.map(schemaFileName).sort());
  });
});

describe("generated sections", () => {
  it("replace only the text between their markers", () => {
    const text = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb";
    expect(withSection(text, "x", "new")).toBe("a\n<!-- begin x -->\nnew\n<!-- end x -->\nb");
    expect(() => withSection(text, "y", "new")).toThrow("section `y` has no begin and end markers");
  });

  it("contain every limit with its comment", () => {
    const table = limitsTableMarkdown(file("src/limits.ts"));
    expect(table).toContain("| `entryBytes` | 262,144 | Bytes of one entry of a store, as JSON. |");
    expect(() => limitsTableMarkdown("")).toThrow("has no comment");
    expect(file("spec/01-envelope.md")).toContain(table);
  });
});
