import { assert } from "@effect/vitest"
import { Context, DateTime, Effect, Option } from "effect"
import type { Quarantine } from "../../core/model/Quarantine.ts"
import { TestId } from "../../core/model/TestHistory.ts"
import { QuarantineStore } from "../../core/ports/QuarantineStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { assertFound, assertPages, plainQuarantine } from "./parts/plain.ts"
import { idAt, instant, makeQuarantine } from "./parts/samples.ts"
import { keyOf, newHome, type BuildPorts, type Home } from "./parts/stored.ts"
import type { Cases } from "./parts/suite.ts"

/** What the cases need beside a `QuarantineStore`: quarantines belong to repositories. */
type QuarantinePorts = BuildPorts | QuarantineStore

const newQuarantine = Effect.fnUntraced(function* (home: Home, fields: Partial<Quarantine> = {}) {
  const quarantine = makeQuarantine(home.repository, fields)
  yield* (yield* QuarantineStore).put(quarantine)
  return quarantine
})

const idsOf = (all: ReadonlyArray<Quarantine>) => all.map(({ testId }) => testId)

export const quarantineStoreCases = (it: Cases<QuarantinePorts>) => {
  it.effect("a quarantine is found with every field unchanged, and replaced by a later one of its test", function* () {
    const [store, home] = [yield* QuarantineStore, yield* newHome]
    const few = yield* newQuarantine(home)
    const all = yield* newQuarantine(home, {
      name: "Prüfung \u{1F680}",
      prompt: "Do it\nagain",
      file: "flows/a.yaml",
      platform: "ios",
      app: "shop",
      owner: "ada",
      expiresAt: instant(123),
      expiredAt: instant(124)
    })
    const find = (one: Quarantine) =>
      Effect.map(
        store.find(home.account.id, one.testId),
        Option.map((it) => it.quarantine)
      )
    for (const one of [few, all]) assertFound(plainQuarantine, yield* find(one), one)
    const { testId } = all
    const later = yield* newQuarantine(home, { testId, createdAt: instant(900) })
    assertFound(plainQuarantine, yield* find(all), later)
    const listed = yield* store.list({ account: home.account.id, repository: keyOf(home.repository), limit: 10 })
    assert.deepStrictEqual(idsOf(Option.getOrThrow(listed)), [testId, few.testId])
  })

  it.effect("the list holds the repository's quarantines, newest first, after one, within the limit", function* () {
    const [store, home, other] = [yield* QuarantineStore, yield* newHome, yield* newHome]
    const ids = [3, 1, 2].map((at) => TestId.make(`${idAt(at)}`))
    for (const testId of ids) yield* newQuarantine(home, { testId, createdAt: instant(5) })
    const newest = yield* newQuarantine(home, { createdAt: instant(6) })
    yield* newQuarantine(other)
    const repository = keyOf(home.repository)
    const stored = new Map<string, Quarantine>()
    yield* assertPages([newest.testId, ...ids.toSorted().toReversed()], (limit, after) =>
      Effect.map(
        store.list({
          account: home.account.id,
          repository,
          limit,
          ...(after === undefined ? {} : { after: stored.get(after) ?? assert.fail("a stored quarantine") })
        }),
        (page) => {
          const found = Option.getOrThrow(page)
          for (const one of found) stored.set(one.testId, one)
          return idsOf(found)
        }
      )
    )
    assert.isTrue(Option.isNone(yield* store.list({ account: other.account.id, repository, limit: 10 })))
  })

  it.effect("only the account that has a quarantine finds and removes it, and only once", function* () {
    const [store, home, other] = [yield* QuarantineStore, yield* newHome, yield* newHome]
    const quarantine = yield* newQuarantine(home)
    const { testId } = quarantine
    assert.isTrue(Option.isNone(yield* store.find(other.account.id, testId)))
    assert.isTrue(Option.isNone(yield* store.remove(other.account.id, testId)))
    assertFound(plainQuarantine, yield* store.remove(home.account.id, testId), quarantine)
    assert.isTrue(Option.isNone(yield* store.remove(home.account.id, testId)))
    assert.isTrue(Option.isNone(yield* store.find(home.account.id, testId)))
  })

  it.effect("a quarantine of a repository that is not linked is not found", function* () {
    const [store, home] = [yield* QuarantineStore, yield* newHome]
    const { testId } = yield* newQuarantine(home)
    const { account, repository } = home
    yield* RepositoryStore.use((links) => links.unlink(account.id, keyOf(repository)))
    assert.isTrue(Option.isNone(yield* store.find(account.id, testId)))
    const query = { account: account.id, repository: keyOf(repository), limit: 10 }
    assert.isTrue(Option.isNone(yield* store.list(query)))
  })

  it.effect("those that ended are due until their end is published, the earliest first", function* () {
    const [store, home] = [yield* QuarantineStore, yield* newHome]
    const [second, first, open] = [
      yield* newQuarantine(home, { expiresAt: instant(-20) }),
      yield* newQuarantine(home, { expiresAt: instant(-30) }),
      yield* newQuarantine(home, { expiresAt: instant(-10) })
    ]
    const due = (until: number, limit = 10) =>
      Effect.map(store.due({ until: instant(until), limit }), (all) => idsOf(all.map((one) => one.quarantine)))
    assert.deepStrictEqual(yield* due(-11), [first.testId, second.testId])
    assert.deepStrictEqual(yield* due(-20, 1), [first.testId])
    const end = { quarantine: first, at: instant(1) }
    const another = { ...first, expiresAt: instant(7) }
    assert.isFalse(yield* store.expire({ quarantine: another, at: instant(1) }))
    assert.isTrue(yield* store.expire(end))
    assert.isFalse(yield* store.expire(end))
    assert.deepStrictEqual(yield* due(-10), [second.testId, open.testId])
    const found = yield* store.find(home.account.id, first.testId)
    const view = Option.getOrThrow(found)
    assert.deepStrictEqual(plainQuarantine(view.quarantine), plainQuarantine({ ...first, expiredAt: instant(1) }))
    const { owner, repo } = home.repository
    assert.deepStrictEqual([view.repository.owner, view.repository.repo], [owner, repo])
    for (const one of [second, open]) yield* store.expire({ quarantine: one, at: instant(1) })
  })

  it.onTwoHosts("of two hosts, one publishes an end, and each sees what the other stored", function* (other) {
    const [store, home] = [yield* QuarantineStore, yield* newHome]
    const there = Context.get(other, QuarantineStore)
    const quarantine = yield* newQuarantine(home, { expiresAt: instant(-5) })
    const end = { quarantine, at: instant(DateTime.toEpochMillis(quarantine.createdAt) % 1000) }
    const ended = yield* Effect.all([store.expire(end), there.expire(end)], { concurrency: "unbounded" })
    assert.sameMembers(ended, [true, false])
    yield* there.remove(home.account.id, quarantine.testId)
    assert.isTrue(Option.isNone(yield* store.find(home.account.id, quarantine.testId)))
  })
}
