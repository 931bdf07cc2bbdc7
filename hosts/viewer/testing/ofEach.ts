import { Effect } from "effect"
import type { Scope } from "../../../core/model/ApiKey.ts"
import { finalizePreview, putFull, registered, reserveFull } from "../../http/testing/previews.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { readyBuild } from "../../http/testing/uploads.ts"
import { signIn } from "./visit.ts"

/** The scopes of a key that may do everything but delete. */
export const everyday = ["builds", "preview_upload", "test_runs"] as const

/** A build, a preview with recordings and a run of a new account, the paths of their pages, and who may do what. */
export const oneOfEach = Effect.gen(function* () {
  const { admin, url } = yield* TestHost
  const account = yield* newAccount([...everyday, "delete"])
  const { row } = yield* readyBuild(account, { branch: "main & <all>" })
  const preview = yield* reserveFull(account)
  yield* putFull(preview)
  yield* finalizePreview(account, preview.token)
  const run = yield* registered(account, preview.shareId, { name: "Checkout & <pay>" })
  const cookieWith = (...scopes: readonly [Scope, ...ReadonlyArray<Scope>]) =>
    Effect.flatMap(admin.createKey({ account: account.name, name: "other", scopes }), ({ key }) => signIn(key))
  return {
    account,
    cookie: yield* signIn(account.key),
    cookieWith,
    headers: { origin: url },
    shareId: preview.shareId,
    row,
    run,
    build: `/builds/${row.id}`,
    preview: `/previews/${preview.shareId}`,
    runPage: `/runs/${run.id}`
  }
})
