/** What the ports answer of records that they were filled with. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { repositoryKey } from "../../../core/model/Repository.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { ErasureStore } from "../../../core/ports/ErasureStore.ts"
import { IdempotencyStore } from "../../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { monthOf } from "../../../core/rules/limits.ts"
import { UsageStore } from "../../../core/ports/UsageStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import {
  found,
  plainAccount,
  plainAnswer,
  plainBuild,
  plainKey,
  plainPreview,
  plainRemoval,
  plainReservation,
  plainRun,
  plainSession,
  plainShareLink,
  plainTrust
} from "./plain.ts"
import type { EveryKind } from "./records.ts"
import { instant } from "./samples.ts"

/** Asserts that every port finds each of the values, by what its own statements look it up by. */
export const answersOf = Effect.fnUntraced(function* (stored: EveryKind) {
  const [accounts, keys, builds] = [yield* AccountStore, yield* KeyStore, yield* BuildStore]
  const [previews, runs, overview] = [yield* PreviewStore, yield* TestRunStore, yield* OverviewStore]
  const [account] = stored.account
  if (account === undefined) return yield* Effect.die("there is no account among the records")

  for (const value of stored.account) {
    const erasure = (yield* (yield* ErasureStore).list).find(({ id }) => id === value.id)?.erasure
    assert.deepEqual(erasure, value.erasure)
    if (erasure !== undefined) continue
    assert.deepStrictEqual(found(plainAccount, yield* accounts.findByName(value.name)), plainAccount(value))
  }
  for (const value of stored.key) {
    const owner = yield* keys.findByHash(value.hash)
    assert.deepStrictEqual(
      found(
        plainKey,
        Option.map(owner, ({ key }) => key)
      ),
      plainKey(value)
    )
  }
  for (const { linked, owner, repo } of stored.repository) {
    const key = repositoryKey(owner, repo)
    assert.strictEqual(Option.isSome(yield* (yield* RepositoryStore).find(account.id, key)), linked)
    if (!linked) continue
    const listed = yield* runs.list({
      account: account.id,
      repository: key,
      filter: {},
      after: Option.none(),
      limit: 9,
      bytes: 2 ** 53
    })
    const ids = Option.getOrElse(listed, () => []).map(({ run }) => run.id)
    assert.sameMembers(
      ids,
      stored.run.map(({ id }) => id)
    )
    const source = { branch: "main", source: "ci", pr: 7 }
    const filtered = yield* runs.list({
      account: account.id,
      repository: key,
      filter: source,
      after: Option.none(),
      limit: 9,
      bytes: 2 ** 53
    })
    assert.strictEqual(Option.getOrElse(filtered, () => []).length, 1)
    const latest = yield* builds.findLatest(account.id, key, "main", "ios", instant(10))
    assert.isTrue(Option.isSome(latest))
  }
  assert.sameDeepMembers(
    (yield* (yield* ReservationStore).findHosted(account.id, stored.hostedObject)).map((one) => ({ ...one })),
    stored.hostedObject.map((one) => ({ ...one }))
  )
  assert.deepStrictEqual(
    (yield* (yield* TrustStore).list(account.id)).map(({ trust }) => plainTrust(trust)),
    stored.trust.slice(0, 1).map(plainTrust)
  )
  const { own, used } = yield* (yield* UsageStore).find(account.id, monthOf(instant(9)), instant(9))
  assert.deepStrictEqual({ accountId: account.id, ...own }, { ...stored.quotas[0] })
  assert.deepStrictEqual(
    { ...used },
    { bytesStored: 2 + 7 + 2 ** 52 + 600, bytesPerMonth: 2, previewsPerMonth: 1, runsPerMonth: 2 }
  )
  for (const value of stored.reservation) {
    const reserved = yield* builds.findByToken(value.tokenHash)
    assert.deepStrictEqual(
      found(
        plainReservation,
        Option.map(reserved, (one) => one.reservation)
      ),
      plainReservation(value)
    )
  }
  for (const value of stored.build) {
    const view = yield* builds.findById(account.id, value.id)
    assert.deepStrictEqual(
      found(
        plainBuild,
        Option.map(view, ({ build }) => build)
      ),
      plainBuild(value)
    )
  }
  for (const value of stored.preview) {
    assert.deepStrictEqual(
      found(plainPreview, yield* previews.findByShareId(account.id, value.shareId)),
      plainPreview(value)
    )
    assert.deepStrictEqual(found(plainPreview, yield* previews.findByToken(value.tokenHash)), plainPreview(value))
  }
  for (const value of stored.run) {
    const view = yield* runs.find(account.id, value.id)
    assert.deepStrictEqual(
      found(
        plainRun,
        Option.map(view, ({ run }) => run)
      ),
      plainRun(value)
    )
  }
  for (const value of stored.answer) {
    const kept = yield* (yield* IdempotencyStore).find(account.id, value.keyHash, instant(6))
    assert.deepStrictEqual(found(plainAnswer, kept), plainAnswer(value))
  }
  for (const value of stored.shareLink) {
    const link = yield* (yield* ShareLinkStore).findByHash(value.secretHash)
    assert.deepStrictEqual(found(plainShareLink, link), plainShareLink(value))
    assert.strictEqual(
      (yield* (yield* ShareLinkStore).list({ account: account.id, shared: value.shared, limit: 9 })).length,
      1
    )
  }
  for (const value of stored.session) {
    const owner = yield* (yield* SessionStore).findByHash(value.secretHash)
    assert.deepStrictEqual(
      found(
        plainSession,
        Option.map(owner, ({ session }) => session)
      ),
      plainSession(value)
    )
  }
  const taken = yield* (yield* RemovalStore).claim({ now: instant(8), until: instant(9), limit: 9 })
  assert.deepStrictEqual(
    taken.map(plainRemoval),
    stored.removal.slice(0, 1).map((removal) => plainRemoval({ ...removal, dueAt: instant(9) }))
  )
  const billed = stored.billedTestRun.length
  assert.strictEqual(yield* overview.billedSince(account.id, instant(0)), billed)
  const months = yield* previews.usage(account.id)
  assert.strictEqual(
    months.reduce((sum, { billedTestRuns }) => sum + billedTestRuns, 0),
    billed
  )
  // One build and one preview are still being uploaded.
  assert.strictEqual((yield* (yield* ReservationStore).countOpen(account.id, instant(4), 9)).count, 2)
  assert.strictEqual((yield* overview.branches({ account: account.id, limit: 9 })).length, 1)
})
