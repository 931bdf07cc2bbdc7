import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { Caller, Scope } from "../../../core/model/ApiKey.ts"
import { BuildId } from "../../../core/model/Build.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import type { InvalidRequest, NotFound, Unavailable } from "../../../core/model/Problem.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { goTo, type Path, paths } from "../access/site.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { fromOwnPage, withSmallForm } from "../session/forms.ts"
import { code, platforms, repositoryHtml, repositoryStep, runKinds } from "../ui/facts.ts"
import { html, type Html, shortText } from "../ui/html.ts"
import { page, type PageContext, type Step } from "../ui/layout.ts"
import { runName } from "../ui/lists.ts"

/** One kind of resource that can be deleted: its page, the scope for it, its name and consequences, and the deletion. */
interface Deletion<R> {
  readonly path: (id: string) => Path
  readonly scope: Scope
  readonly look: (
    caller: Caller,
    id: string
  ) => Effect.Effect<Omit<DeletionPrompt, "page">, NotFound | InvalidRequest | Unavailable, R>
  readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | InvalidRequest | WriteFailure, R>
}

const routesOf = <R>({ look, path, remove, scope }: Deletion<R>) => {
  const ask = forAccount(
    [scope, "delete"],
    Effect.fnUntraced(function* (caller, context) {
      const id = yield* idInPath
      return deletionPage(context, { ...(yield* look(caller, id)), page: path(id) })
    })
  )

  /** Leads to the page above the deleted one. */
  const doIt = forAccount(
    [scope, "delete"],
    Effect.fnUntraced(function* (caller, context) {
      const id = yield* idInPath
      const { trail } = yield* look(caller, id)
      yield* remove(caller, id)
      return goTo(context.site, trail.at(-1)?.path ?? "/")
    })
  )

  const page = paths.deletion(path(":id"))
  return [HttpRouter.route("GET", page, ask), HttpRouter.route("POST", page, fromOwnPage(withSmallForm(doIt)))]
}

/** The pages on which people delete builds, previews and runs, after a confirmation. */
export const routes = [
  ...routesOf({
    path: paths.build,
    scope: "builds",
    look: Effect.fnUntraced(function* (caller, id) {
      const { build, repository } = yield* (yield* Builds).read(caller, BuildId.make(id))
      const { branch, commitSha, platform } = build
      return {
        kind: "build",
        name: html`${repositoryHtml(repository)}, ${code(shortText(branch, 60))} at ${code(commitSha.slice(0, 7))},
        ${platforms[platform]}`,
        consequences: "Its page and its replay, all its uploads and their files are deleted. This can't be undone.",
        trail: [repositoryStep(repository)]
      }
    }),
    remove: (caller, id) => Builds.use((builds) => builds.delete(caller, BuildId.make(id)))
  }),
  ...routesOf({
    path: paths.preview,
    scope: "preview_upload",
    look: Effect.fnUntraced(function* (caller, id) {
      const { declaration, shareId } = yield* (yield* Previews).read(caller, ShareId.make(id))
      const { branch, owner, repo } = declaration.git
      const named = owner === undefined || repo === undefined ? "" : html`, ${repositoryHtml({ owner, repo })}`
      const of = branch === undefined ? "" : html`, ${code(shortText(branch, 60))}`
      return {
        kind: "preview",
        name: html`${code(shareId)}${named}${of}`,
        consequences:
          "Its page, its files, its recordings and the links to it are deleted. Its test runs are kept, without recordings. This can't be undone.",
        trail: []
      }
    }),
    remove: (caller, id) => Previews.use((previews) => previews.delete(caller, ShareId.make(id)))
  }),
  ...routesOf({
    path: paths.run,
    scope: "test_runs",
    look: Effect.fnUntraced(function* (caller, id) {
      const { repository, run } = yield* (yield* TestRuns).read(caller, TestRunId.make(id))
      return {
        kind: "run",
        name: html`<bdi>${shortText(runName(run), 160)}</bdi>, ${runKinds[run.kind]} run of
          ${repositoryHtml(repository)}`,
        consequences:
          "Its page and the links to it are deleted. Its preview is kept, with the recordings. This can't be undone.",
        trail: [repositoryStep(repository)]
      }
    }),
    remove: (caller, id) => TestRuns.use((runs) => runs.delete(caller, TestRunId.make(id)))
  })
]

/** What the page shows about a resource before it is deleted. */
interface DeletionPrompt {
  /** What it is: `build`. */
  readonly kind: string
  /** Its name. */
  readonly name: Html
  /** What is deleted with it and what is kept. */
  readonly consequences: string
  readonly page: Path
  readonly trail: ReadonlyArray<Step>
}

/** Asks for confirmation. Nothing is deleted before its form is sent. */
const deletionPage = (
  context: PageContext,
  { consequences, kind, name, page: path, trail }: DeletionPrompt
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: `Delete this ${kind}?`,
    trail,
    main: html`<section class="card narrow">
      <h1>Delete this ${kind}?</h1>
      <p><strong>${name}</strong></p>
      <p>${consequences}</p>
      <form method="post" action="${base + paths.deletion(path)}">
        <button class="grave">Delete this ${kind} for good</button>
      </form>
      <p><a href="${base + path}">Keep it</a></p>
    </section>`
  })
}
