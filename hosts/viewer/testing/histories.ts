import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Scope } from "../../../core/model/ApiKey.ts"
import { newAccount } from "../../http/testing/TestHost.ts"
import { commit } from "../../http/testing/uploads.ts"
import { registerRun, uploadPreview } from "./previews.ts"
import { signIn } from "./visit.ts"

/**
 * A new account, and a function that registers a run of it on a later day than the last: `ran(4, "Pay", "failed")` is of commit 4 and of the
 * CI run `github:4` on `main`, and so many hours after the first.
 */
export const accountWithRuns = Effect.fnUntraced(function* (
  scopes: readonly [Scope, ...ReadonlyArray<Scope>] = ["preview_upload", "test_runs"]
) {
  yield* TestClock.adjust("30 days")
  const account = yield* newAccount(scopes)
  const { owner, repo } = account
  const { shareId } = yield* uploadPreview(account, { owner, repo })
  const now = yield* Clock.currentTimeMillis
  const ran = (n: number, name: string, status: "passed" | "failed" = "passed", fields: Record<string, unknown> = {}) =>
    registerRun(account, {
      previewShareId: shareId,
      name,
      status,
      branch: "main",
      commitSha: commit(n),
      source: `github:${n}`,
      startedAt: new Date(now - 48 * 3_600_000 + n * 3_600_000).toISOString(),
      ...fields
    })
  return {
    account,
    cookie: yield* signIn(account.key),
    path: `/repositories?${new URLSearchParams({ owner, repo })}`,
    ran
  }
})

/** The attempts of a flaky run. */
export const retried = [{ status: "failed", failureMessage: "Sometimes" }, { status: "passed" }]
