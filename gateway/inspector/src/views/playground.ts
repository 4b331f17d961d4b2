import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Choices } from "../api.js";
import { useLoaded } from "../loaded.js";
import { Empty, Failure } from "../notices.js";
import type { PageProps } from "../view.js";
import { Copy } from "./playground/copy.js";
import { Reply, type RetrieveReply } from "./playground/reply.js";
import {
  FIELDS,
  type Field,
  fieldText,
  type RetrieveFields,
  requestIn,
  requestOf,
} from "./playground/request.js";
import { type Snippet, snippetsOf } from "./playground/snippets.js";

/** Runs a retrieve with all its parameters, and shows it as JSON and as programs. */
export function Page(props: PageProps): VNode {
  const { api, who, route } = props;
  const text = route.params.get("request");
  const request = requestIn(text);
  const reply = useLoaded(
    async (signal) =>
      text === null ? undefined : api.get<RetrieveReply>("retrieve", { request: text }, signal),
    [api, text],
  );
  const choices = useLoaded((signal) => api.get<Choices>("session", {}, signal), [api]);
  if (who.agent === "") return html`<${Empty}>Choose an agent. Requests are sent in its name.<//>`;
  const run = (next: RetrieveFields) => route.go({ request: JSON.stringify(next) });
  const shown = request ?? {};
  return html`<div class="with-side">
    <div class="list"><${RequestForm} key=${text} request=${shown} onRun=${run} />
      <section aria-labelledby="reply" aria-busy=${reply.isLoading}><h2 id="reply">Reply</h2>
        <${Failure} of=${reply.failure} />
        ${reply.value === undefined ? html`<${Empty}>Run a request to see its entries.<//>` : html`<${Reply} reply=${reply.value} />`}
      </section></div>
    <div class="side later">
      <${JsonForm} key=${text} request=${shown} onRun=${run} />
      ${choices.value !== undefined && snippetsOf(shown, who, choices.value.prefix).map((snippet) => html`<${Code} key=${snippet.language} ...${snippet} />`)}
    </div>
  </div>`;
}

interface FormProps {
  readonly request: RetrieveFields;
  readonly onRun: (request: RetrieveFields) => void;
}

function RequestForm({ request, onRun }: FormProps): VNode {
  const [failure, setFailure] = useState<Error>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    try {
      setFailure(undefined);
      onRun(requestOf((path) => String(fields.get(path) ?? "")));
    } catch (error) {
      setFailure(new Error(`The filter is not valid JSON: ${(error as Error).message}`, { cause: error }));
    }
  };
  const input = (field: Field) => html`<${Input} key=${field.path} field=${field} request=${request} />`;
  const isMoreUsed = FIELDS.some((field) => !field.isMain && fieldText(request, field) !== "");
  return html`<form class="parameters" aria-label="Request" onSubmit=${submit}>
    ${FIELDS.filter(({ isMain }) => isMain).map(input)}
    <details open=${isMoreUsed}><summary>More parameters</summary>
      <div class="more">${FIELDS.filter(({ isMain }) => !isMain).map(input)}</div></details>
    <button>Run</button></form>
    <${Failure} of=${failure} />`;
}

function Input({ field, request }: { readonly field: Field; readonly request: RetrieveFields }): VNode {
  const { path, label, type, values, max, hint } = field;
  const text = fieldText(request, field);
  if (type === "checkbox")
    return html`<label class="inline"><input type="checkbox" name=${path} defaultChecked=${text === "true"} /> ${label}</label>`;
  if (values !== undefined)
    return html`<label>${label} <select name=${path}><option value="">default</option>
      ${values.map((value) => html`<option key=${value} value=${value} selected=${value === text}>${value}</option>`)}</select></label>`;
  const kind = type === "json" || type === undefined ? "text" : type;
  return html`<label class=${path === "query" || type === "json" ? "long" : undefined}>${label}
    <input name=${path} type=${kind} min=${type === "number" ? 0 : undefined} max=${max} step=${type === "number" ? "any" : undefined}
      defaultValue=${text} placeholder=${hint} autocomplete="off" /></label>`;
}

/** Shows the request as JSON, which can be edited too. */
function JsonForm({ request, onRun }: FormProps): VNode {
  const [failure, setFailure] = useState<Error>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get("json"));
    const edited = requestIn(text);
    setFailure(edited === undefined ? new Error("The request is not a JSON object.") : undefined);
    if (edited !== undefined) onRun(edited);
  };
  return html`<form class="editor" aria-label="Request as JSON" onSubmit=${submit}>
    <label>Request as JSON <textarea name="json" rows="8" spellcheck=${false} defaultValue=${JSON.stringify(request, null, 2)}></textarea></label>
    <button class="plain">Run the JSON</button></form>
    <${Failure} of=${failure} />`;
}

function Code({ language, text }: Snippet): VNode {
  const id = `snippet-${language}`;
  return html`<section aria-labelledby=${id} data-snippet=${language}>
    <div class="panel-head"><h2 id=${id}>${language}</h2><${Copy} text=${text} label=${`Copy ${language}`} /></div>
    <pre class="card" tabindex="0" role="region" aria-label=${`Code for ${language}`}>${text}</pre></section>`;
}
