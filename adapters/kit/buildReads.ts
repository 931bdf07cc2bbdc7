import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { repositoryKey } from "../../core/model/Repository.ts"
import { ReservationId } from "../../core/model/Reservation.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import {
  buildIn,
  expectedView,
  firstReserve,
  keyOf,
  newBuild,
  newHome,
  plainReserved,
  plainView,
  reserveAgain,
  seen,
  type BuildPorts
} from "./parts/buildPorts.ts"
import { assertKept, fullDeclaration, fullUpload, manyFiles } from "./parts/kept.ts"
import { assertFound, found, plainBuild, plainRepository } from "./parts/plain.ts"
import { after, idAt, instant, makeIdentity, makeRepository, nameOf } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import { newAccount } from "./parts/stored.ts"

const assertNone = (...answers: ReadonlyArray<Option.Option<unknown>>) => {
  for (const answer of answers) assert.isTrue(Option.isNone(answer))
}

export const buildReadCases = (it: Cases<BuildPorts>) => {
  assertKept(it, "a build", {
    owner: newHome,
    full: (home, text, at) =>
      firstReserve(home, {
        build: {
          branch: text,
          platform: "android",
          commitSha: "0123456789abcdef0123456789abcdef01234567",
          createdAt: at,
          readyAt: after(at, 1),
          readyBy: ReservationId.make(idAt(5)),
          reservedUntil: after(at, 2)
        },
        reservation: { ...fullUpload(at), declaration: fullDeclaration(text) }
      }),
    bare: (home) => firstReserve(home),
    store: (change) => BuildStore.use((store) => store.commitReserve(change)),
    read: Effect.fnUntraced(function* ({ build, reservation }, { account, repository }) {
      const store = yield* BuildStore
      const [key, now] = [keyOf(repository), build.readyAt ?? reservation.reservedAt]
      return [
        found(plainView, yield* store.findById(account.id, build.id)),
        found(plainView, yield* store.findLatest(account.id, key, build.branch, build.platform, now)),
        found(plainReserved, yield* store.findByToken(reservation.tokenHash)),
        found(plainBuild, buildIn(yield* store.loadForReserve(account.id, key, build)))
      ]
    }),
    expected: (change, home) => {
      const view = expectedView(home, change)
      return [view, view, plainReserved({ ...change, repository: home.repository }), plainBuild(change.build)]
    }
  })

  it.effect("a declaration of a thousand files keeps all of them in order", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const id = firstReserve(home)
    const declaration = { ...id.reservation.declaration, files: manyFiles }
    const change = yield* newBuild(home, { reservation: { declaration } })
    const view = Option.getOrThrow(yield* store.findById(home.account.id, change.build.id))
    assert.deepStrictEqual(view.upload.declaration.files, manyFiles)
  })

  it.effect("no build is found for a repository that isn't linked", function* () {
    const store = yield* BuildStore
    const { account } = yield* newHome
    const key = keyOf(makeRepository(account))
    assert.isTrue(Option.isNone(yield* store.loadForReserve(account.id, key, makeIdentity())))
  })

  it.effect("a build is found only by its exact branch, platform and commit", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const { build } = yield* newBuild(home)
    const identity = { branch: build.branch, platform: build.platform, commitSha: build.commitSha }
    for (const [other, expected] of [
      [identity, plainBuild(build)],
      [{ ...identity, branch: "MAIN" }, undefined],
      [{ ...identity, branch: "main " }, undefined],
      [{ ...identity, platform: "android" as const }, undefined],
      [makeIdentity(), undefined]
    ] as const) {
      const slot = Option.getOrThrow(yield* store.loadForReserve(home.account.id, keyOf(home.repository), other))
      assert.deepStrictEqual(plainRepository(slot.repository), plainRepository(home.repository))
      assert.deepStrictEqual(found(plainBuild, slot.build), expected)
    }
  })

  it.effect("an unknown token finds nothing", function* () {
    const store = yield* BuildStore
    const { reservation } = yield* newBuild(yield* newHome)
    assert.isTrue(Option.isNone(yield* store.findByToken(reservation.tokenHash.toUpperCase())))
    assert.isTrue(Option.isNone(yield* store.findByToken("")))
  })

  it.effect("each token finds its own reservation", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const first = yield* newBuild(home)
    const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
    yield* store.commitReserve(second)
    for (const { reservation } of [first, second]) {
      assertFound(plainReserved, yield* store.findByToken(reservation.tokenHash), {
        build: second.build,
        reservation,
        repository: home.repository
      })
    }
  })

  it.effect("a build shows the upload that it names and not the last one stored", function* () {
    const store = yield* BuildStore
    const home = yield* newHome
    const first = yield* newBuild(home, { build: { readyAt: instant(5), readyBy: ReservationId.make(idAt(1)) } })
    const second = reserveAgain(home, first.build, { id: ReservationId.make(idAt(2)) })
    yield* store.commitReserve(second)
    assert.strictEqual(second.build.currentUpload, first.reservation.id)
    assert.deepStrictEqual(
      found(plainView, yield* store.findById(home.account.id, first.build.id)),
      expectedView(home, { build: second.build, reservation: first.reservation })
    )
  })

  it.effect("another account finds nothing", function* () {
    const home = yield* newHome
    const { account: foreigner } = yield* newHome
    const { id, latest, slot } = yield* seen(foreigner, home, yield* newBuild(home))
    assertNone(slot, id, latest)
  })

  it.effect("an unlinked repository hides its builds, and shows them again when it is linked again", function* () {
    const repositories = yield* RepositoryStore
    const home = yield* newHome
    const change = yield* newBuild(home)
    yield* repositories.unlink(home.account.id, keyOf(home.repository))
    const hidden = yield* seen(home.account, home, change)
    assertNone(...Object.values(hidden))

    const again = makeRepository(home.account, { owner: home.repository.owner.toUpperCase(), repo: "REPO" })
    const repository = yield* repositories.link(again)
    const shown = yield* seen(home.account, home, change)
    const expected = expectedView({ ...home, repository }, change)
    assert.deepStrictEqual(found(plainView, shown.id), expected)
    assert.deepStrictEqual(found(plainView, shown.latest), expected)
    assertFound(plainReserved, shown.token, { ...change, repository })
    assertFound(plainBuild, buildIn(shown.slot), change.build)
  })

  it.effect("an account that links the repository next doesn't see the earlier builds", function* () {
    const repositories = yield* RepositoryStore
    const home = yield* newHome
    const change = yield* newBuild(home)
    yield* repositories.unlink(home.account.id, keyOf(home.repository))
    const next = yield* newAccount
    yield* repositories.link(makeRepository(next, { owner: home.repository.owner, repo: home.repository.repo }))

    const theirs = yield* seen(next, home, change)
    assert.isTrue(Option.isNone(Option.getOrThrow(theirs.slot).build))
    assertNone(theirs.token, theirs.id, theirs.latest)
    const ours = yield* seen(home.account, home, change)
    assertNone(...Object.values(ours))
  })

  it.effect("an owner with a slash isn't confused with another repository", function* () {
    const store = yield* BuildStore
    const repositories = yield* RepositoryStore
    const { account } = yield* newHome
    const owner = nameOf("group")
    const repository = yield* repositories.link(makeRepository(account, { owner: `${owner}/sub`, repo: "app" }))
    const change = yield* newBuild({ account, repository })
    assert.isTrue(Option.isNone(yield* store.loadForReserve(account.id, repositoryKey(owner, "app"), change.build)))
    const slot = yield* store.loadForReserve(account.id, repositoryKey(`${owner}/SUB`, "App"), change.build)
    const linked = Option.map(slot, (one) => one.repository)
    assertFound(plainRepository, linked, repository)
  })
}
