/** Records that are stored by their own ports. */
import { Effect } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import type { ApiKey } from "../../../core/model/ApiKey.ts"
import type { Preview } from "../../../core/model/Preview.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { TestRun } from "../../../core/model/TestRun.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { makeAccount, makeKey, makePreview, makeRun } from "./samples.ts"

export const newAccount = Effect.gen(function* () {
  const account = makeAccount()
  yield* (yield* AccountStore).insert(account)
  return account
})

export const newKey = Effect.fnUntraced(function* (account: Account, fields: Partial<ApiKey> = {}) {
  const key = makeKey(account, fields)
  yield* (yield* KeyStore).insert(key)
  return key
})

/** A reserved preview. */
export const newPreview = Effect.fnUntraced(function* (account: Account, fields: Partial<Preview> = {}) {
  const preview = makePreview(account, fields)
  yield* (yield* PreviewStore).commitReserve({ preview })
  return preview
})

export const newRun = Effect.fnUntraced(function* (
  repository: Repository,
  preview: Preview,
  fields: Partial<TestRun> = {}
) {
  const run = makeRun(repository, preview, fields)
  yield* (yield* TestRunStore).insert({ run })
  return run
})
