import { OPERATIONS, type Operation } from "./operations.js";
import { SCHEMAS } from "./schemas.js";

export const OPENAPI_PATH = "/openapi.json";
export const OPENAPI_PAGE_PATH = "/docs";

/** A route of Hono. */
interface Route {
  readonly method: string;
  readonly path: string;
}

type Content = Readonly<Record<string, { readonly schema: object }>>;

/** An operation as OpenAPI describes it. */
export interface DescribedOperation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: Operation["parameters"];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<"title" | "version" | "description", string>> & {
    readonly license: Readonly<Record<"name" | "identifier", string>>;
  };
  readonly servers: readonly { readonly url: string }[];
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const SECURITY = { none: [], session: [{ session: [] }], token: [{ token: [] }] } as const;

/**
 * Describes the operations that `routes` serve, as OpenAPI 3.1. The page of the inspector and its API are left out,
 * because they change with every version.
 */
export function openApiDocument(routes: readonly Route[], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const [method, path] = name.split(" ") as [string, string];
    if (!routes.some((route) => serves(route, method, path))) continue;
    paths[path] = { ...paths[path], [method]: toOpenApi(operation) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "membus gateway",
      version,
      description: "The memory bus over HTTP: A2E, MCP and an OpenAI-compatible API with memory.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        session: { type: "apiKey", in: "header", name: "X-Session-Id" },
        token: { type: "http", scheme: "bearer", description: "Only if the gateway has tokens" },
      },
    },
  };
}

/** Returns whether a route answers an operation. `/*` at the end of a route stands for any rest, also for none. */
function serves(route: Route, method: string, path: string): boolean {
  if (route.path === "/*" || ![method.toUpperCase(), "ALL"].includes(route.method)) return false;
  if (!route.path.endsWith("/*")) return route.path === path;
  const root = route.path.slice(0, -2);
  return path === root || path.startsWith(`${root}/`);
}

function toOpenApi({
  tag,
  summary,
  description,
  security,
  parameters,
  body,
  responses,
}: Operation): DescribedOperation {
  const described = Object.entries(responses).map(([status, [text, type, schema]]) => [
    status,
    { description: text, ...(type && { content: { [type]: { schema } } }) },
  ]);
  return {
    tags: [tag],
    summary,
    ...(description && { description }),
    security: SECURITY[security],
    ...(parameters && { parameters }),
    ...(body && { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    responses: Object.fromEntries(described),
  };
}
