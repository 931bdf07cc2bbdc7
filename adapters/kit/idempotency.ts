import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import type { Unavailable } from "../../core/model/Problem.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import type { Conflict, WriteFailure } from "../../core/ports/WriteFailure.ts"
import { IdempotencyStore, type Once } from "../../core/ports/IdempotencyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { buildCommitCases } from "./buildStore.ts"
import {
  type BuildPorts,
  firstReserve,
  type Home,
  keyOf,
  newBuild,
  newHome,
  newPreview,
  reserveAgain
} from "./parts/stored.ts"
import { assertAtomic, assertConflict, concurrently, many, onlyWinner } from "./parts/commits.ts"
import { assertFound, found, plainResponse, plainBuild } from "./parts/plain.ts"
import { after, epochs, idAt, instant, makeOnce, makePreview, makeRun } from "./parts/samples.ts"
import type { RunPorts } from "./testRunStore.ts"
import type { Cases } from "./parts/suite.ts"

/** What the cases need beside an `IdempotencyStore`: the stores whose commits keep answers in it. */
type OncePorts = BuildPorts | RunPorts | IdempotencyStore

/** A change that can be committed together with an answer, and how to see whether it is stored. */
interface Change {
  readonly commit: (once?: Once) => Effect.Effect<void, Conflict | WriteFailure>
  readonly isStored: Effect.Effect<boolean, Unavailable>
}

/** The commits that keep an answer. Each makes a new change. */
const commits: Record<string, (home: Home) => Effect.Effect<Change, Conflict | WriteFailure, OncePorts>> = {
  "the first reserve of a build": (home) =>
    Effect.gen(function* () {
      const store = yield* BuildStore
      const change = firstReserve(home)
      return {
        commit: (once) => store.commitReserve({ ...change, once }),
        isStored: Effect.map(store.findByToken(change.reservation.tokenHash), Option.isSome)
      }
    }),
  "a later reserve of a build": (home) =>
    Effect.gen(function* () {
      const store = yield* BuildStore
      const change = reserveAgain(home, (yield* newBuild(home)).build, { id: ReservationId.make(idAt(2)) })
      return {
        commit: (once) => store.commitReserve({ ...change, once }),
        isStored: Effect.map(store.findByToken(change.reservation.tokenHash), Option.isSome)
      }
    }),
  "the reserve of a preview": ({ account }) =>
    Effect.gen(function* () {
      const store = yield* PreviewStore
      const preview = makePreview(account)
      return {
        commit: (once) => store.commitReserve({ preview, once }),
        isStored: Effect.map(store.findByToken(preview.tokenHash), Option.isSome)
      }
    }),
  "the insert of a test run": ({ account, repository }) =>
    Effect.gen(function* () {
      const store = yield* TestRunStore
      const run = makeRun(repository, yield* newPreview(account))
      return {
        commit: (once) => store.insert({ run, once }),
        isStored: Effect.map(store.find(account.id, run.id), Option.isSome)
      }
    })
}

/** What is kept at the time of `once` under its key. */
const kept = ({ answer, now }: Once, at = now) =>
  Effect.gen(function* () {
    return found(plainResponse, yield* (yield* IdempotencyStore).find(answer.accountId, answer.keyHash, at))
  })

/** A later use of the same key, with another request and answer. */
const later = ({ answer }: Once, now: DateTime.Utc, account: Home["account"]): Once =>
  makeOnce(account, { keyHash: answer.keyHash }, now)

const before = (time: DateTime.Utc) => DateTime.addDuration(time, -1)

const commitCases = (it: Cases<OncePorts>, make: (typeof commits)[string]) => {
  it.effect("keeps its answer with every field unchanged, which is found until it expires", function* () {
    const home = yield* newHome
    const { commit, isStored } = yield* make(home)
    const once = makeOnce(home.account, { expiresAt: instant(12_345) })
    assert.isUndefined(yield* kept(once))
    yield* commit(once)
    assert.isTrue(yield* isStored)
    assert.deepStrictEqual(yield* kept(once), plainResponse(once.answer))
    assert.deepStrictEqual(yield* kept(once, instant(0)), plainResponse(once.answer))
    assert.deepStrictEqual(yield* kept(once, instant(12_344)), plainResponse(once.answer))
    assert.isUndefined(yield* kept(once, instant(12_345)))
  })

  it.effect("stores no answer when it is given none, and can then be repeated", function* () {
    const home = yield* newHome
    for (const { commit, isStored } of [yield* make(home), yield* make(home)]) {
      yield* commit()
      assert.isTrue(yield* isStored)
    }
  })

  it.effect("is a conflict that changes nothing until the kept answer expires", function* () {
    const home = yield* newHome
    const [first, second] = [yield* make(home), yield* make(home)]
    const once = makeOnce(home.account)
    yield* first.commit(once)
    for (const now of [instant(0), once.now, before(once.answer.expiresAt)]) {
      yield* assertConflict(second.commit(later(once, now, home.account)))
      assert.isFalse(yield* second.isStored, "half of it was written")
      assert.deepStrictEqual(yield* kept(once), plainResponse(once.answer))
    }
    const next = later(once, once.answer.expiresAt, home.account)
    yield* second.commit(next)
    assert.isTrue(yield* second.isStored)
    assert.deepStrictEqual(yield* kept(next), plainResponse(next.answer))
  })

  it.effect("uses the times that are given and not the engine's clock", function* () {
    const home = yield* newHome
    for (const at of epochs) {
      const [first, second, third] = [yield* make(home), yield* make(home), yield* make(home)]
      const once = makeOnce(home.account, { expiresAt: after(at, 1000) }, at)
      yield* first.commit(once)
      for (const now of [after(at, -600_000), at, after(at, 999)]) {
        assert.deepStrictEqual(yield* kept(once, now), plainResponse(once.answer))
        yield* assertConflict(second.commit(later(once, now, home.account)))
      }
      for (const now of [after(at, 1000), after(at, 600_000)]) assert.isUndefined(yield* kept(once, now))
      // A host whose clock is behind may keep an answer that has already expired for a host whose clock is ahead.
      const behind = makeOnce(
        home.account,
        { keyHash: once.answer.keyHash, expiresAt: after(at, 500) },
        after(at, 1000)
      )
      yield* second.commit(behind)
      assert.deepStrictEqual(yield* kept(behind, after(at, 499)), plainResponse(behind.answer))
      yield* third.commit(later(once, after(at, 500), home.account))
      assert.isTrue(yield* third.isStored)
    }
  })

  assertAtomic(
    it,
    {
      interrupted: "is committed with its answer or not at all when it is interrupted at any moment",
      failing: "is committed with its answer or not at all when the engine fails"
    },
    Effect.gen(function* () {
      const home = yield* newHome
      const { commit, isStored } = yield* make(home)
      const once = makeOnce(home.account)
      return {
        run: commit(once),
        check: Effect.gen(function* () {
          const isMade = yield* isStored
          assert.deepStrictEqual(yield* kept(once), isMade ? plainResponse(once.answer) : undefined)
          if (isMade) yield* assertConflict((yield* make(home)).commit(later(once, once.now, home.account)))
          else yield* commit(once)
          assert.isTrue(yield* isStored)
          assert.deepStrictEqual(yield* kept(once), plainResponse(once.answer))
        })
      }
    })
  )

  it.effect("is committed once when many use one key at once, and once more after the key has expired", function* () {
    const home = yield* newHome
    let once = makeOnce(home.account)
    for (let round = 0; round < 2; round++) {
      const changes = yield* Effect.forEach(many, () => make(home))
      const attempts = changes.map(() => later(once, once.answer.expiresAt, home.account))
      const winner = onlyWinner(yield* concurrently(changes.map((change, index) => change.commit(attempts[index]))))
      for (const [index, { isStored }] of changes.entries()) {
        assert.strictEqual(yield* isStored, index === winner)
      }
      once = attempts[winner] ?? once
      assert.deepStrictEqual(yield* kept(once), plainResponse(once.answer))
    }
  })

  it.effect("isn't affected by another key or by the same key of another account", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    const once = makeOnce(home.account)
    const { keyHash } = once.answer
    yield* (yield* make(home)).commit(once)
    assert.isUndefined(yield* kept(later(once, once.now, other.account)))
    for (const [at, next] of [
      [other, makeOnce(other.account, { keyHash })],
      [home, makeOnce(home.account, { keyHash: keyHash.toUpperCase() })],
      [home, makeOnce(home.account, { keyHash: `${keyHash} ` })],
      [home, makeOnce(home.account)]
    ] as const) {
      const { commit, isStored } = yield* make(at)
      yield* commit(next)
      assert.isTrue(yield* isStored)
      assert.deepStrictEqual(yield* kept(next), plainResponse(next.answer))
    }
    assert.deepStrictEqual(yield* kept(once), plainResponse(once.answer))
  })

  it.effect("keeps an answer of a megabyte", function* () {
    const home = yield* newHome
    const once = makeOnce(home.account, { sealedAnswer: "0123456789abcdef".repeat(65_536) })
    yield* (yield* make(home)).commit(once)
    assert.deepStrictEqual(yield* kept(once), plainResponse(once.answer))
  })
}

/** A build store that keeps an answer with each reserve, under a key of its own. */
const layerKeyed = Layer.effect(
  BuildStore,
  Effect.map(BuildStore, (store) =>
    BuildStore.of({
      ...store,
      commitReserve: (change) => {
        const { accountId } = change.build
        const account = { id: accountId, name: "", createdAt: instant(0) }
        return store.commitReserve({ once: makeOnce(account), ...change })
      }
    })
  )
)

export const idempotencyCases = (it: Cases<OncePorts>) => {
  for (const [name, make] of Object.entries(commits)) it.section(name, () => commitCases(it, make))

  it.effect("every kind of commit shares the same keys", function* () {
    const home = yield* newHome
    for (const first of Object.values(commits)) {
      const once = makeOnce(home.account)
      yield* (yield* first(home)).commit(once)
      for (const second of Object.values(commits)) {
        const { commit, isStored } = yield* second(home)
        yield* assertConflict(commit(later(once, once.now, home.account)))
        assert.isFalse(yield* isStored)
      }
    }
  })

  it.effect("a reserve from an outdated version keeps no answer and leaves an expired one unchanged", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const { build } = yield* newBuild(home)
    const once = makeOnce(home.account)
    const change = reserveAgain(home, build, { id: ReservationId.make(idAt(2)) })
    const stale = { ...change, build: { ...change.build, version: 3 } }
    yield* assertConflict(store.commitReserve({ ...stale, once }))
    assert.isUndefined(yield* kept(once))
    yield* store.commitReserve({ ...change, once })
    const next = later(once, once.answer.expiresAt, home.account)
    yield* assertConflict(store.commitReserve({ ...change, once: next }))
    assert.isUndefined(yield* kept(next))
    assert.deepStrictEqual(yield* kept(once), plainResponse(once.answer))
  })

  it.effect("a second build of one identity keeps no answer", function* () {
    const home = yield* newHome
    const { branch, commitSha, platform } = (yield* newBuild(home)).build
    const once = makeOnce(home.account)
    const second = firstReserve(home, { build: { branch, commitSha, platform } })
    yield* assertConflict((yield* BuildStore).commitReserve({ ...second, once }))
    assert.isUndefined(yield* kept(once))
  })

  it.effect("a second reserve under a kept key doesn't change the build's version", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const first = firstReserve(home)
    const once = makeOnce(home.account)
    yield* store.commitReserve({ ...first, once })
    const again = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)), expiresAt: instant(1e9) })
    yield* assertConflict(store.commitReserve({ ...again, once: later(once, once.now, home.account) }))
    const slot = Option.getOrThrow(yield* store.loadForReserve(home.account.id, keyOf(home.repository), first.build))
    assertFound(plainBuild, slot.build, first.build)
  })

  it.section("commits of builds, each with a key of its own", () => buildCommitCases(it.through(layerKeyed)))
}

/** The cases of an `IdempotencyStore` and of the commits that keep answers in it. */
