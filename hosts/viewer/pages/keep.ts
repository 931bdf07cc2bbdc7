import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { Caller, Scope } from "../../../core/model/ApiKey.ts"
import { BuildId } from "../../../core/model/Build.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import type { InvalidRequest, NotFound, Unavailable } from "../../../core/model/Problem.ts"
import type { Resource } from "../../../core/model/Resource.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { RetentionHolds } from "../../../core/service/RetentionHolds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { goTo, type Path, paths } from "../access/site.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { fromOwnPage, withSmallForm } from "../session/forms.ts"

/** One kind of resource that can be kept: its page, the scope for it, and how it is found. */
interface Kept<R> {
  readonly page: (id: string) => Path
  readonly scope: Scope
  readonly find: (caller: Caller, id: string) => Effect.Effect<Resource, NotFound | InvalidRequest | Unavailable, R>
}

const routesOf = <R>({ find, page, scope }: Kept<R>) => {
  /** Keeps or releases it, and leads back to the page. */
  const form = (scopes: ReadonlyArray<Scope>, action: "keep" | "release") =>
    HttpRouter.route(
      "POST",
      paths[action](page(":id")),
      fromOwnPage(
        withSmallForm(
          forAccount(
            scopes,
            Effect.fnUntraced(function* (caller, { site }) {
              const id = yield* idInPath
              yield* (yield* RetentionHolds)[action](caller, yield* find(caller, id))
              return goTo(site, page(id))
            })
          )
        )
      )
    )
  return [form([scope], "keep"), form([scope, "delete"], "release")]
}

/** The forms with which people keep builds, previews and runs, and release them. */
export const routes = [
  ...routesOf({
    page: paths.build,
    scope: "builds",
    find: Effect.fnUntraced(function* (caller, id) {
      const build = BuildId.make(id)
      yield* (yield* Builds).read(caller, build)
      return { build }
    })
  }),
  ...routesOf({
    page: paths.preview,
    scope: "preview_upload",
    find: Effect.fnUntraced(function* (caller, id) {
      const preview = ShareId.make(id)
      yield* (yield* Previews).read(caller, preview)
      return { preview }
    })
  }),
  ...routesOf({
    page: paths.run,
    scope: "test_runs",
    find: Effect.fnUntraced(function* (caller, id) {
      const run = TestRunId.make(id)
      yield* (yield* TestRuns).read(caller, run)
      return { run }
    })
  })
]
