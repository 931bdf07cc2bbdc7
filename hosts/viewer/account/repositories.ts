/** The page of an account's repositories, and the action of its form. */
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { OwnerName, RepoName, type Repository, type RepositoryKey, WebUrl } from "../../../core/model/Repository.ts"
import { Name } from "../../../core/model/Text.ts"
import { OwnAccount } from "../../../core/service/OwnAccount.ts"
import type { Visitor } from "../access/capability.ts"
import { goTo, paths } from "../access/site.ts"
import { accountTitle, page, type PageContext } from "../ui/layout.ts"
import { repositoryHtml } from "../ui/facts.ts"
import { html, joinHtml, shortText, timeHtml } from "../ui/html.ts"
import { askedText, formOf, forOwner, matches, nameFilter, ownerAction, type Refused, refusedNotice } from "./owner.ts"

const unset = Schema.Literal("")
const Form = Schema.Struct({
  owner: OwnerName,
  repo: RepoName,
  defaultBranch: Schema.Union([unset, Name]),
  webUrl: Schema.Union([unset, WebUrl])
})

const list = Effect.fnUntraced(function* (owner: Visitor, context: PageContext) {
  return repositoriesPage(context, {
    repositories: yield* (yield* OwnAccount).repositories(owner),
    text: yield* askedText
  })
})

const settingsPath = ({ owner, repo }: RepositoryKey) =>
  `/account/repositories/settings?${new URLSearchParams({ owner, repo })}`

/** The repository that the URL names, also that of a form. */
const show = Effect.fnUntraced(function* (owner: Visitor, context: PageContext, refused?: Refused) {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const asked = new URL(url, "http://viewer").searchParams
  const repository = (yield* (yield* OwnAccount).repositories(owner)).find(
    ({ owner, repo }) => owner === asked.get("owner") && repo === asked.get("repo")
  )
  if (repository === undefined) return yield* NotFound.default
  return repositorySettingsPage(context, { repository, path: settingsPath(repository), refused })
})

const save = Effect.fnUntraced(function* (owner: Visitor, { site }: PageContext) {
  const { defaultBranch, webUrl, ...repository } = yield* formOf(Form)
  yield* (yield* OwnAccount).configureRepository(owner, {
    ...repository,
    defaultBranch: defaultBranch === "" ? null : defaultBranch,
    webUrl: webUrl === "" ? null : webUrl
  })
  return goTo(site, settingsPath(repository))
})

/** The pages on which owners change the settings of linked repositories. */
export const routes = [
  HttpRouter.route("GET", "/account/repositories", forOwner(list)),
  HttpRouter.route("GET", "/account/repositories/settings", forOwner(show)),
  HttpRouter.route("POST", "/account/repositories/settings", ownerAction(save, show))
]

const linking = ({ account }: PageContext) =>
  html`<p>
    A repository belongs to one account, so the operator of this service links it:
    <code>slipway repo link OWNER/REPO --account <bdi>${account?.name}</bdi></code>
  </p>`

/** The page of an account's linked repositories. */
const repositoriesPage = (
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
const repositorySettingsPage = (
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
