import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { DescribedOperation, OpenApiDocument } from "./openapi-document.js";
import { PAGE_STYLE } from "./page-style.js";

type Html = ReturnType<typeof html>;
type Schema = object;

const STYLE_HASH = createHash("sha256").update(PAGE_STYLE).digest("base64");

/** The page has no scripts and loads nothing. */
export const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-cache",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

const ACCESS: Readonly<Record<string, string>> = {
  session: "Needs the header X-Session-Id.",
  token: "Needs a bearer token, if the gateway has tokens.",
};

interface PathOperation extends DescribedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

/** Returns an OpenAPI document as a page of HTML. */
export async function openApiPage(document: OpenApiDocument): Promise<string> {
  const { info, components } = document;
  const operations = operationsOf(document);
  const tags = [...new Set(operations.flatMap(({ tags }) => tags))];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}: HTTP API</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<header>
<h1>${info.title} <small>${info.version}</small></h1>
<p>${info.description} For programs: <a href="/openapi.json">OpenAPI ${document.openapi}</a>.</p>
</header>
<nav aria-label="Operations">
${tags.map((tag) => html`<h2>${tag}</h2><ul>${operations.filter(hasTag(tag)).map(linkTo)}</ul>`)}
<h2>Schemas</h2><ul>${Object.keys(components.schemas).map((name) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>
</nav>
<main>
${tags.map((tag) => html`<section aria-label="${tag}"><h2>${tag}</h2>${operations.filter(hasTag(tag)).map(operationOf)}</section>`)}
<section aria-label="Schemas"><h2>Schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => html`<article id="${name}"><h3>${name}</h3>${schemaOf(schema)}</article>`)}
</section>
</main>
</body>
</html>
`;
  return String(await page);
}

function operationsOf({ paths }: OpenApiDocument): readonly PathOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const id = `${method}${path.replace(/[^a-z0-9]+/gi, "-")}`;
      return { ...operation, id, path, method: method.toUpperCase() };
    }),
  );
}

function hasTag(tag: string): (operation: PathOperation) => boolean {
  return ({ tags }) => tags.includes(tag);
}

function linkTo({ id, method, path, summary }: PathOperation): Html {
  return html`<li><a href="#${id}" title="${summary}"><b>${method}</b> ${path}</a></li>`;
}

function operationOf(operation: PathOperation): Html {
  const { id, method, path, summary, description, security, parameters = [], requestBody } = operation;
  const access = security.flatMap((each) => Object.keys(each)).map((name) => ACCESS[name]);
  return html`<article id="${id}">
<h3><code><b>${method}</b> ${path}</code> ${summary}</h3>
<p>${[description, ...access].filter((text) => text !== undefined).join(" ")}</p>
${parameters.length === 0 ? "" : html`<h4>Parameters</h4><dl>${parameters.map(parameterOf)}</dl>`}
${requestBody === undefined ? "" : html`<h4>Body</h4>${Object.entries(requestBody.content).map(contentOf)}`}
<h4>Responses</h4><dl>${Object.entries(operation.responses).map(responseOf)}</dl>
</article>`;
}

function parameterOf({
  name,
  in: place,
  description,
}: NonNullable<DescribedOperation["parameters"]>[number]): Html {
  return html`<dt><code>${name}</code> in the ${place}</dt><dd>${description ?? ""}</dd>`;
}

function responseOf([status, { description, content = {} }]: [
  string,
  DescribedOperation["responses"][string],
]): Html {
  return html`<dt><code>${status}</code></dt><dd>${description} ${Object.entries(content).map(contentOf)}</dd>`;
}

function contentOf([type, { schema }]: [string, { readonly schema: Schema }]): Html {
  return html`<div><code>${type}</code> ${schemaOf(schema)}</div>`;
}

/** Returns a link to a named schema, or the schema as JSON. */
function schemaOf(schema: Schema): Html {
  if (!("$ref" in schema)) return html`<pre tabindex="0">${JSON.stringify(schema, undefined, 2)}</pre>`;
  const name = String(schema.$ref).replace("#/components/schemas/", "");
  return html`<a href="#${name}">${name}</a>`;
}
