import type { FileFolder, FilesReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { entryParams } from "../../entry-text.js";
import { counted } from "../../figures.js";
import { useLoaded } from "../../loaded.js";
import { Degraded, Empty, Failure, Time } from "../../notices.js";
import { hrefOf } from "../../route.js";
import type { PageProps } from "../../view.js";

/** Lists the files by folder. Each opens as an entry. */
export function FileList({ api }: Pick<PageProps, "api">): VNode {
  const { value, failure, isLoading } = useLoaded(
    (signal) => api.get<FilesReply>("files", {}, signal),
    [api],
  );
  return html`<section class="panel" aria-labelledby="files" aria-busy=${isLoading}><h2 id="files">Files</h2>
    <${Failure} of=${failure} />
    <${Degraded} tiers=${value?.degraded} />
    ${value?.folders.length === 0 && html`<${Empty}>This agent has no files. Programs write them with <code>MemoryFiles</code>.<//>`}
    ${value?.folders.map(folder)}
    ${value?.truncated && html`<p class="quiet">Not all files are listed.</p>`}</section>`;
}

function folder({ tier, namespace, files }: FileFolder): VNode {
  const item = ({
    path,
    key_hash,
    changed,
  }: FileFolder["files"][number]) => html`<li key=${path} data-file=${path}>
    <a href=${hrefOf("memories", entryParams({ tier, namespace, key_hash }))}>${path}</a>
    <span class="quiet"><${Time} at=${changed} isShort /></span></li>`;
  return html`<details key=${`${tier} ${namespace}`} open><summary>${namespace}
      <span class="quiet"> ${tier}, ${counted(files.length, "file")}</span></summary>
    <ul class="rows">${files.map(item)}</ul></details>`;
}
