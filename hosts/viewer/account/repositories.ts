import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { OwnerName, RepoName, WebUrl, type RepositoryKey } from "../../../core/model/Repository.ts"
import { Name } from "../../../core/model/Text.ts"
import { OwnAccount } from "../../../core/service/OwnAccount.ts"
import type { Visitor } from "../access/capability.ts"
import { goTo } from "../access/goTo.ts"
import type { PageContext } from "../ui/layout.ts"
import { askedText, formOf, forOwner, ownerAction } from "./owner.ts"
import type { Refused } from "./parts.ts"
import { repositoriesPage, repositorySettingsPage } from "./repositoriesPage.ts"

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
  if (repository === undefined) return yield* NotFound.answer
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
