import { assert, describe } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Option, Schema, Stream } from "effect"
import { ObjectKey } from "../../core/model/HostedObject.ts"
import {
  MetadataRecord,
  portableKinds,
  recordKinds,
  type RecordKind,
  recordModels
} from "../../core/model/MetadataRecord.ts"
import { ShareId } from "../../core/model/Preview.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { ObjectDeletionStore } from "../../core/ports/ObjectDeletionStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { UsageStore } from "../../core/ports/UsageStore.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { onFinalize, onPreviewFinalize, onReserve } from "../../core/rules/builds.ts"
import { monthOf } from "../../core/rules/limits.ts"
import { historyWith } from "../../core/rules/testHistory.ts"
import {
  found,
  plainAccount,
  plainResponse,
  plainBuild,
  plainKey,
  plainPreview,
  plainObjectDeletion,
  plainReservation,
  plainRun,
  plainSession,
  plainShareLink,
  plainTrust
} from "./parts/plain.ts"
import {
  fullRun,
  instant,
  makeAccount,
  makeAuditEntry,
  makeHosted,
  makeIdentity,
  makeKey,
  makeOnce,
  makePreview,
  makeQuarantine,
  makeObjectDeletion,
  makeRepository,
  makeReservation,
  makeRun,
  makeSession,
  makeShareLink,
  makeTrust,
  newBuildId
} from "./parts/samples.ts"
import { newAccount } from "./parts/stored.ts"
import { unreadableSnapshotCase } from "./unreadable.ts"
import { type Adapter, type Cases, suite } from "./parts/suite.ts"

/** What is backed up and restored, and the ports that answer from it. */
export type SnapshotPorts = MetadataPorts | MetadataSource | MetadataTarget

const plain = Schema.encodeSync(Schema.Array(MetadataRecord), { disableChecks: true })

const everything = MetadataSource.use((source) => source.snapshot(Stream.runCollect))

const fill = <E>(records: Stream.Stream<MetadataRecord, E>) => MetadataTarget.use((target) => target.fill(records))

const insert = AccountStore.use((store) => store.insert(makeAccount()))

/** Asserts that nothing is stored, and that the store can be filled. */
const assertStillEmpty = Effect.gen(function* () {
  assert.deepStrictEqual(yield* everything, [])
  yield* (yield* MetadataTarget).assertEmpty
  yield* fill(Stream.fromIterable(manyAccounts))
  assert.strictEqual((yield* everything).length, manyAccounts.length)
})

const sourceCases = (it: Cases<SnapshotPorts>) => {
  unreadableSnapshotCase(it)

  it.effect("a new store gives no record", function* () {
    assert.deepStrictEqual(yield* everything, [])
  })

  it.effect("what a port stored is given as it was stored", function* () {
    const account = yield* newAccount
    assert.deepStrictEqual(plain(yield* everything), plain([{ kind: "account", value: account }]))
  })

  it.effect("thousands of records are given, each once", function* () {
    yield* fill(Stream.fromIterable(manyAccounts))
    const ids = (yield* everything).map(({ value }) => ("id" in value ? value.id : ""))
    assert.sameMembers(
      ids,
      manyAccounts.map(({ value }) => value.id)
    )
  })

  it.effect("a stream gives the same each time it is run, while others write", function* () {
    yield* fill(Stream.fromIterable(manyAccounts))
    const asAnother = Effect.runPromiseWith(yield* Effect.context<AccountStore>())
    yield* (yield* MetadataSource).snapshot((records) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => asAnother(insert))
        const first = yield* Stream.runCollect(records)
        yield* Effect.promise(() => asAnother(insert))
        assert.deepStrictEqual(plain(yield* Stream.runCollect(records)), plain(first))
        assert.strictEqual(first.length, manyAccounts.length)
      })
    )
    assert.strictEqual((yield* everything).length, manyAccounts.length + 2)
  })

  it.effect("a stream may be left early, and a snapshot fail: the next one is whole", function* () {
    yield* fill(Stream.fromIterable(manyAccounts))
    const source = yield* MetadataSource
    const taken = yield* source.snapshot((records) => Stream.runCollect(Stream.take(records, 3)))
    assert.strictEqual(taken.length, 3)
    assert.strictEqual(yield* Effect.flip(source.snapshot(() => Effect.fail("given up"))), "given up")
    assert.strictEqual((yield* everything).length, manyAccounts.length)
    yield* insert
  })
}

const ofAccountCases = (it: Cases<SnapshotPorts>) => {
  it.effect("the records of one account are read alone, each once, and nothing of another", function* () {
    const [values, others] = [everyKind(), everyKind()]
    const another = { ...others, account: others.account.slice(0, 1) }
    const all = [...recordsOf(values), ...recordsOf(another)].map((record, index) => ({ index, record }))
    const kinds = Object.keys(recordModels)
    const inOrder = all.toSorted(
      (a, b) => kinds.indexOf(a.record.kind) - kinds.indexOf(b.record.kind) || a.index - b.index
    )
    yield* fill(Stream.fromIterable(inOrder.map(({ record }) => record)))
    const [account] = values.account
    if (account === undefined) return assert.fail("there is an account among the records")
    const source = yield* MetadataSource
    const given = yield* source.snapshotOf(account.id, Stream.runCollect)
    const portable = new Set<string>(portableKinds)
    const own = recordsOf(values).filter(
      ({ kind, value }) =>
        portable.has(kind) && ("accountId" in value ? value.accountId === account.id : value === account)
    )
    const lines = (records: ReadonlyArray<MetadataRecord>) => plain(records).map((one) => JSON.stringify(one))
    assert.sameMembers(lines(given), lines(own))
    assert.deepStrictEqual([...new Set(given.map(({ kind }) => kind))], [...portableKinds])
    assert.deepStrictEqual(yield* source.snapshotOf(makeAccount().id, Stream.runCollect), [])
  })

  it.effect("thousands of records of one account are given, each once", function* () {
    const [first] = manyAccounts
    if (first === undefined) return assert.fail("there are accounts")
    const account = first.value
    const runs = Array.from({ length: 1000 }, () => ({
      kind: "billedTestRun" as const,
      value: { previewId: makePreview(account).id, accountId: account.id, billedAt: instant(9) }
    }))
    yield* fill(Stream.fromIterable([...manyAccounts, ...runs]))
    const given = yield* (yield* MetadataSource).snapshotOf(account.id, Stream.runCollect)
    const ids = given.map(({ value }) => ("previewId" in value ? value.previewId : ""))
    assert.sameMembers(ids, ["", ...runs.map(({ value }) => value.previewId)])
  })
}

const targetCases = (it: Cases<SnapshotPorts>) => {
  it.effect(
    "records of every kind are stored field by field, and are given in the order of `recordModels`",
    function* () {
      const records = recordsOf(everyKind())
      yield* fill(Stream.fromIterable(records))
      const given = yield* everything
      assert.deepStrictEqual([...new Set(given.map(({ kind }) => kind))], Object.keys(recordModels))
      // Within a kind the order is the store's.
      const lines = (all: ReadonlyArray<MetadataRecord>) => plain(all).map((one) => JSON.stringify(one))
      assert.sameMembers(lines(given), lines(records))
    }
  )

  it.effect("every port answers from what was stored", function* () {
    const values = everyKind()
    yield* fill(Stream.fromIterable(recordsOf(values)))
    yield* answersOf(values)
  })

  it.effect("a store that holds one record imports nothing, and keeps it", function* () {
    yield* insert
    const target = yield* MetadataTarget
    assert.strictEqual((yield* Effect.flip(target.assertEmpty))._tag, "NotEmpty")
    assert.strictEqual((yield* Effect.flip(fill(Stream.fromIterable(manyAccounts))))._tag, "NotEmpty")
    assert.strictEqual((yield* everything).length, 1)
  })

  it.effect("nothing is stored when the stream fails, and it can be filled afterwards", function* () {
    const cut = Stream.concat(Stream.fromIterable(manyAccounts), Stream.fail(Unavailable.default))
    assert.strictEqual(yield* Effect.flip(fill(cut)), Unavailable.default)
    yield* assertStillEmpty
  })

  it.effect("nothing is stored when it is interrupted, and it can be filled afterwards", function* () {
    const reached = yield* Deferred.make<void>()
    const endless = Stream.concat(
      Stream.fromIterable(manyAccounts),
      Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
    )
    const filling = yield* Effect.forkChild(fill(endless))
    yield* Deferred.await(reached)
    yield* Fiber.interrupt(filling)
    yield* assertStillEmpty
  })

  it.effect("nothing is stored when a record of any kind occurs twice", function* () {
    const records = recordsOf(everyKind())
    for (const kind of Object.keys(recordModels)) {
      const first = records.find((record) => record.kind === kind)
      const twice = records.flatMap((record) => (record === first ? [record, record] : [record]))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(fill(Stream.fromIterable(twice)))), kind)
    }
    yield* assertStillEmpty
  })
}

/** Declares the suite of the two ports by which a deployment is backed up, restored and copied, on one store. */
export const metadataSnapshotSuite = <S = never>(name: string, adapter: Adapter<SnapshotPorts, S>): void =>
  suite(`snapshots on ${name}`, adapter, (it) => {
    describe("MetadataSource", () => sourceCases(it))
    describe("MetadataSource of one account", () => ofAccountCases(it))
    describe("MetadataTarget", () => targetCases(it))
  })

// Records as they are backed up.

/** More accounts than an engine takes or gives at once. */
const manyAccounts = Array.from({ length: 2500 }, () => ({ kind: "account", value: makeAccount() }) as const)

/** Values of every kind. */
type EveryKind = {
  readonly [Kind in RecordKind]: ReadonlyArray<Extract<MetadataRecord, { readonly kind: Kind }>["value"]>
}

/** Values of every kind that refer to each other: of most kinds one with few fields, and one with every field. */
const everyKind = (): EveryKind => {
  const account = makeAccount()
  const key = makeKey(account)
  const revoked = makeKey(account, {
    scopes: ["builds", "preview_upload", "test_runs"],
    expiresAt: instant(50),
    lastUsedAt: instant(30),
    revokedAt: instant(40)
  })
  const repository = makeRepository(account)
  const unlinked = makeRepository(account)
  const build = (reservation: Parameters<typeof makeReservation>[2] = {}) => {
    const id = newBuildId()
    const made = makeReservation(account, id, reservation)
    return {
      reservation: made,
      build: onReserve(undefined, {
        id,
        repository,
        identity: makeIdentity({ app: "Ünïcode \u{10FFFD}" }),
        reservation: made
      })
    }
  }
  const digests = { "files/0": "c".repeat(64) }
  const uploading = build()
  const begun = build({ keyId: key.id, decompressedBytes: 2 ** 40, metadataBytes: 100 })
  const ready = onFinalize(begun.build, begun.reservation, { now: instant(9), hostedPrefix: "hosted/x/y/", digests })
  const preview = makePreview(account)
  const finalized = onPreviewFinalize(
    makePreview(account, { keyId: key.id, repositoryId: repository.id, decompressedBytes: 7, metadataBytes: 200 }),
    { now: instant(9), hostedPrefix: "hosted/x/z/", digests }
  )
  const run = makeRun(repository, finalized)
  const full = {
    ...fullRun(repository, finalized, "Prüfung \u{1F680}", instant(4)),
    branch: "main",
    source: "ci",
    pr: 7,
    metadataBytes: 300,
    keptAt: instant(73)
  }
  const histories = [run, full].map((one) =>
    historyWith(one, { all: Option.none(), branch: Option.none(), ciRun: Option.none(), quarantine: Option.none() }, [])
  )
  const link = makeShareLink(account, { shared: { run: run.id }, revokedAt: instant(8) })
  return {
    account: [
      account,
      makeAccount({ name: "Ünïcode \u{10FFFD}" }),
      {
        ...makeAccount(),
        erasure: {
          nameHash: "a name",
          at: instant(50),
          settledAt: instant(60),
          actor: { key: key.id },
          address: "192.0.2.1",
          gone: { builds: 3, bytes: 2 ** 40 }
        }
      }
    ],
    key: [key, revoked],
    repository: [
      { ...repository, linked: true },
      { ...unlinked, defaultBranch: "trunk", webUrl: "https://github.com/acme/app", linked: false }
    ],
    build: [uploading.build, { ...ready.build, keptAt: instant(70) }],
    reservation: [uploading.reservation, { ...ready.reservation, supersededAt: instant(71) }],
    preview: [preview, { ...finalized, keptAt: instant(72) }],
    billedTestRun: [{ previewId: finalized.id, accountId: account.id, billedAt: instant(9) }],
    hostedObject: [
      makeHosted(account, { objectKey: ObjectKey.make("hosted/x/y/bundle") }),
      makeHosted(account, { sizeBytes: 2 ** 52 })
    ],
    run: [run, full],
    testHistory: histories
      .flatMap(({ tests }) => tests.flatMap(({ next }) => next ?? []))
      .map((history) => (history.branch === undefined ? history : { ...history, lastFlakyAt: instant(3) })),
    quarantine: [
      makeQuarantine(repository),
      makeQuarantine(repository, {
        kind: "detox",
        prompt: "Do it\nagain",
        file: "e2e/a.test.ts",
        platform: "ios",
        app: "shop",
        owner: "Zoë",
        expiredAt: instant(9)
      })
    ],
    ciRun: [
      ...histories.flatMap(({ ciRun }) => ciRun ?? []),
      {
        repositoryId: repository.id,
        accountId: account.id,
        ciRun: `commit-${"a".repeat(40)}`,
        startedAt: instant(1),
        passed: 0,
        failed: 0,
        flaky: 1,
        quarantined: 0,
        runs: 2,
        durationMs: 2 ** 40
      },
      {
        repositoryId: repository.id,
        accountId: account.id,
        ciRun: "source-announced",
        startedAt: instant(2),
        passed: 0,
        failed: 0,
        flaky: 0,
        quarantined: 0,
        runs: 0,
        durationMs: 0,
        imports: [
          {
            id: "e2e \u{1F680}",
            attempt: "2",
            job: "e2e",
            app: "shop",
            expectedRuns: 13,
            registeredRuns: 5,
            openedAt: 7
          },
          { id: "unit", expectedRuns: 0, expectedImports: 2, openedAt: 8 }
        ],
        importsVersion: 3
      }
    ],
    answer: [makeOnce(account).answer],
    shareLink: [makeShareLink(account, { shared: { preview: ShareId.make(finalized.shareId) } }), link],
    trust: [
      makeTrust(repository),
      makeTrust(unlinked, {
        scopes: ["builds", "test_runs"],
        conditions: { branches: ["main", "release/*"], pullRequestTarget: true },
        pinned: { repository: "74", owner: "65" }
      })
    ],
    session: [makeSession(key), makeSession(revoked, { address: "192.0.2.1", userAgent: "Mozilla/5.0" })],
    auditEntry: [
      makeAuditEntry({
        accountId: account.id,
        repositoryId: repository.id,
        detail: "Prüfung \u{1F680}",
        address: "192.0.2.1"
      }),
      makeAuditEntry({ actor: { key: key.id } })
    ],
    removal: [makeObjectDeletion(account), makeObjectDeletion(account, { dueAt: instant(60), settledAt: instant(90) })],
    retention: [
      {
        accountId: account.id,
        rules: {
          previews: Duration.days(90),
          runs: "forever",
          builds: Duration.days(1.5),
          buildsPerBranch: 3,
          billed: "forever"
        }
      }
    ],
    quotas: [{ accountId: account.id, bytesStored: 2 ** 45, runsPerMonth: 7 }]
  }
}

/** The records of these values, in the order in which they are stored. */
export const recordsOf = (values: EveryKind): ReadonlyArray<MetadataRecord> =>
  recordKinds.flatMap((kind) => values[kind].map((value) => ({ kind, value }) as MetadataRecord))

// What the ports answer of records that they were filled with.

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
    assert.deepStrictEqual(found(plainResponse, kept), plainResponse(value))
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
  const taken = yield* (yield* ObjectDeletionStore).claim({ now: instant(8), until: instant(9), limit: 9 })
  assert.deepStrictEqual(
    taken.map(plainObjectDeletion),
    stored.removal.slice(0, 1).map((removal) => plainObjectDeletion({ ...removal, dueAt: instant(9) }))
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
