import { assert } from "@effect/vitest"
import { Option } from "effect"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { onFinalize } from "../../core/rules/builds.ts"
import { newBuild, newHome } from "./parts/buildPorts.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { assertConflict } from "./parts/racing.ts"
import { instant, makeKey, makeOnce, makePreview, makeSession, makeShareLink } from "./parts/samples.ts"
import { idsOf } from "./parts/lists.ts"
import type { Cases } from "./parts/suite.ts"
import {
  assertExpired,
  ended,
  expireBy,
  finalize,
  findBuild,
  isPreviewThere,
  isThere,
  newPreview,
  removedPrefixes,
  reserve
} from "./parts/sweepPorts.ts"
import { newKey } from "./parts/stored.ts"

export const endedSweepCases = (it: Cases<MetadataPorts>) => {
  it.effect(
    "a build that was never ready expires with its reservations and their bytes, at the end of the last one",
    function* () {
      const home = yield* newHome
      const first = yield* newBuild(home, { reservation: { expiresAt: instant(100) } })
      const second = yield* reserve(home, first.build, 200)
      yield* newBuild(home, { reservation: { expiresAt: instant(900) } })
      yield* finalize(yield* newBuild(home, { reservation: { expiresAt: instant(100) } }), 50)
      yield* assertExpired((until) => ended("abandoned_builds", until), 200, 1)
      assert.isFalse(yield* isThere(first))
      const prefixes = [first, second].map(({ reservation }) => `hosted/${reservation.id}/`).toSorted()
      assert.deepStrictEqual(yield* removedPrefixes, prefixes)
      const again = yield* newBuild(home, { build: { commitSha: first.build.commitSha } })
      assert.notStrictEqual(again.build.id, first.build.id)
    }
  )

  it.effect(
    "a live reservation never expires, and a finalize of an expired one is a conflict that changes nothing",
    function* () {
      const home = yield* newHome
      const store = yield* BuildStore
      const ready = yield* finalize(yield* newBuild(home), 50)
      const over = yield* reserve(home, ready.build, 900_100)
      const live = yield* reserve(home, over.build, 900_200)
      yield* assertExpired((until) => ended("abandoned_uploads", until), 900_100, 1)
      const late = onFinalize(live.build, over.reservation, { now: instant(60), hostedPrefix: "hosted/x/y/" })
      yield* assertConflict(store.commitFinalize(late))
      const now = Option.getOrThrow(yield* store.findByToken(live.reservation.tokenHash))
      assert.strictEqual(now.build.currentUpload, ready.reservation.id)
      yield* finalize({ build: now.build, reservation: live.reservation }, 70)
      assert.isTrue(Option.isNone(yield* store.findByToken(over.reservation.tokenHash)))
      assert.deepStrictEqual(yield* removedPrefixes, [`hosted/${over.reservation.id}/`])
    }
  )

  it.effect("a finalize that was decided before another reservation of its build expired is a conflict", function* () {
    const home = yield* newHome
    const ready = yield* finalize(yield* newBuild(home), 50)
    const over = yield* reserve(home, ready.build, 900_100)
    const next = yield* reserve(home, over.build, 900_200)
    yield* expireBy(ended("abandoned_uploads", 900_100))
    const late = onFinalize(next.build, next.reservation, { now: instant(60), hostedPrefix: "hosted/x/y/" })
    yield* assertConflict(BuildStore.use((store) => store.commitFinalize(late)))
  })

  it.effect("an upload expires at the instant at which its build shows another one, which stays", function* () {
    const home = yield* newHome
    const first = yield* finalize(yield* newBuild(home), 50)
    const second = yield* finalize(yield* reserve(home, first.build, 900_100), 60)
    const third = yield* finalize(yield* reserve(home, second.build, 900_200), 70)
    yield* assertExpired((until) => ended("superseded_uploads", until), 60, 1)
    yield* assertExpired((until) => ended("superseded_uploads", until), 70, 1)
    const view = Option.getOrThrow(yield* findBuild(third))
    assert.strictEqual(view.upload.id, third.reservation.id)
    const { hosted } = { hosted: [first, second, third].map((one) => one.hosted) }
    const left = yield* ReservationStore.use((store) => store.findHosted(home.account.id, hosted))
    assert.deepStrictEqual(
      left.map(({ objectKey }) => objectKey),
      [third.hosted.objectKey]
    )
  })

  it.effect("a preview that was never finalized expires at the end of its reservation", function* () {
    const { account } = yield* newHome
    const over = yield* newPreview(account, 100)
    const [live, ready] = [yield* newPreview(account, 900), yield* newPreview(account, 100, 50)]
    yield* assertExpired((until) => ended("abandoned_previews", until), 100, 1)
    assert.isFalse(yield* isPreviewThere(over))
    for (const one of [live, ready]) assert.isTrue(yield* isPreviewThere(one))
    assert.deepStrictEqual(yield* removedPrefixes, [`hosted/${over.id}/`])
  })

  it.effect("answers, sessions, share links, used tokens and exchanged keys expire at their ends", function* () {
    const { account, repository } = yield* newHome
    const [sessions, links] = [yield* SessionStore, yield* ShareLinkStore]
    const key = yield* newKey(account)
    const over = makeSession(key, { expiresAt: instant(100) })
    for (const session of [over, makeSession(key, { expiresAt: instant(900) })]) {
      yield* sessions.begin({ session, now: instant(0) })
    }
    const expired = makeShareLink(account, { expiresAt: instant(100) })
    const revoked = makeShareLink(account, { expiresAt: instant(900) })
    for (const link of [expired, revoked, makeShareLink(account, { expiresAt: instant(900) })])
      yield* links.insert(link)
    yield* links.revoke(account.id, revoked.id, instant(100))
    const once = makeOnce(account, { expiresAt: instant(100) }, instant(0))
    yield* PreviewStore.use((store) => store.commitReserve({ preview: makePreview(account), once }))
    const exchanged = makeKey(account, { createdAt: instant(40), expiresAt: instant(100) })
    yield* TrustStore.use((store) =>
      store.exchange({ tokenHash: "used", endsAt: instant(100), now: instant(0), key: exchanged })
    )
    yield* sessions.begin({ session: makeSession(exchanged, { expiresAt: instant(900) }), now: instant(0) })
    const made = yield* newKey(account, { createdAt: instant(0), expiresAt: instant(3_600_001) })

    for (const rule of ["answers", "sessions", "used_tokens"] as const) {
      yield* assertExpired((until) => ended(rule, until), 100, 1)
    }
    yield* assertExpired((until) => ended("share_links", until), 100, 2)
    assert.lengthOf(yield* sessions.list({ key: key.id, limit: 10 }), 1)
    assert.isTrue(Option.isNone(yield* links.find(expired.id)))
    const { accountId, keyHash } = once.answer
    assert.isTrue(Option.isNone(yield* IdempotencyStore.use((store) => store.find(accountId, keyHash, instant(1)))))
    yield* assertExpired((until) => ended("exchanged_keys", until), 100, 1)
    assert.strictEqual(yield* expireBy(ended("exchanged_keys", 9_000_000)), 0)
    const keys = yield* KeyStore.use((store) => store.list(account.id))
    assert.sameMembers(idsOf(keys), [key.id, made.id])
    assert.isTrue(repository.linkedAt !== undefined)
  })
}
