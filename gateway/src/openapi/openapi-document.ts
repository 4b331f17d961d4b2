import { OPERATIONS, type Operation } from "./operations.js";
import { SCHEMAS } from "./schemas.js";

export const OPENAPI_PATH = "/openapi.json";

/** A route of Hono. */
interface Route {
  readonly method: string;
  readonly path: string;
}

const SECURITY = { none: [], session: [{ session: [] }], token: [{ token: [] }] } as const;

/**
 * Describes the operations that `routes` serve, as OpenAPI 3.1. The page of the inspector and its API are left out,
 * because they change with every version.
 */
export function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
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

function toOpenApi({ tag, summary, description, security, parameters, body, responses }: Operation): object {
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
