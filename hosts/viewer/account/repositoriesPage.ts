import type { HttpServerResponse } from "effect/http"
import type { Repository } from "../../../core/model/Repository.ts"
import { paths } from "../access/paths.ts"
import { accountTitle } from "../ui/accountTitle.ts"
import { repositoryHtml } from "../ui/facts.ts"
import { html, joinHtml } from "../ui/html.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { shortText, timeHtml } from "../ui/text.ts"
import { matches, nameFilter, refusedNotice, type Refused } from "./parts.ts"

const linking = ({ account }: PageContext) =>
  html`<p>
    A repository belongs to one account, so the operator of this service links it:
    <code>slipway repo link OWNER/REPO --account <bdi>${account?.name}</bdi></code>
  </p>`

/** The page of an account's linked repositories. */
export const repositoriesPage = (
  context: PageContext,
  { repositories, text }: { readonly repositories: ReadonlyArray<Repository>; readonly text: string }
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const listed = repositories.filter(({ owner, repo }) => matches(`${owner}/${repo}`, text))
  return page(context, {
    title: "Repositories",
    main: html`${accountTitle(context, {
        heading: "Repositories",
        path: "/account/repositories",
        at: "The repositories that are linked to this account."
      })}
      <section class="card form" aria-labelledby="linked">
        <h2 id="linked">Linked <span class="count">${listed.length}</span></h2>
        ${nameFilter(`${base}/account/repositories`, text, repositories.length)}
        ${listed.length === 0 && text !== "" ? html`<p>No repository matches.</p>` : ""}
        <ul class="list">
          ${listed.map((repository) => {
            const { defaultBranch, linkedAt, owner, repo, webUrl } = repository
            const about = [
              ...(defaultBranch === undefined ? [] : [html`<bdi>${shortText(defaultBranch, 60)}</bdi>`]),
              ...(webUrl === undefined ? [] : [html`<bdi>${shortText(webUrl, 100)}</bdi>`]),
              html`linked ${timeHtml(linkedAt)}`
            ]
            return html`<li>
              <a href="${base}/account/repositories/settings?${new URLSearchParams({ owner, repo }).toString()}">
                <span class="name">${repositoryHtml(repository)}</span>
                <span class="type">${joinHtml(about, " · ")}</span>
              </a>
            </li>`
          })}
        </ul>
        ${linking(context)}
      </section>`
  })
}

/** The page of a repository's settings. */
export const repositorySettingsPage = (
  context: PageContext,
  {
    path,
    refused,
    repository
  }: { readonly repository: Repository; readonly path: string; readonly refused: Refused | undefined }
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const { owner, repo } = repository
  const valueOf = (name: "defaultBranch" | "webUrl") => refused?.sent.get(name) ?? repository[name] ?? ""
  return page(context, {
    title: `Settings of ${owner}/${repo}`,
    status: refused === undefined ? 200 : 400,
    trail: [{ name: "Repositories", path: "/account/repositories" }],
    main: html`${accountTitle(context, {
        heading: html`Settings of ${repositoryHtml(repository)}`,
        path: "/account/repositories",
        at: html`<a href="${base + paths.repository(repository)}">Open the repository</a>`
      })}
      ${refusedNotice(refused)}
      <form class="card form" method="post" action="${base}${path}">
        <input type="hidden" name="owner" value="${owner}" />
        <input type="hidden" name="repo" value="${repo}" />
        <label for="branch"
          >Default branch
          <span class="type"
            >Pages begin with it, and new failures are compared with it. If empty, Slipway takes main, else master, else
            the branch with the most CI runs.</span
          ></label
        >
        <input
          id="branch"
          name="defaultBranch"
          value="${valueOf("defaultBranch")}"
          maxlength="1024"
          autocomplete="off"
          placeholder="main"
        />
        <label for="web">Web address <span class="type">Branches, commits and pull requests link there.</span></label>
        <input
          id="web"
          name="webUrl"
          type="url"
          value="${valueOf("webUrl")}"
          maxlength="1024"
          autocomplete="off"
          placeholder="https://github.com/acme/app"
        />
        <button>Save</button>
      </form>`
  })
}
