/** Lists of which a record can't be decoded have the other records; sweeps, backups and erasures continue without it. */
import { assert } from "@effect/vitest"
import { DateTime, Effect, Option, Stream } from "effect"
import { agedRules, endedRules, type RecordKind } from "../../core/model/MetadataRecord.ts"
import type { ExpirySelection } from "../../core/model/Sweep.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { MetadataSource } from "../../core/ports/MetadataSnapshot.ts"
import { ObjectDeletionStore } from "../../core/ports/ObjectDeletionStore.ts"
import { ClaimId, Outbox } from "../../core/ports/Outbox.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { QuarantineStore } from "../../core/ports/QuarantineStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { SweepStore } from "../../core/ports/SweepStore.ts"
import { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { onPreviewFinalize } from "../../core/rules/builds.ts"
import { ciRunOf, testIdOf } from "../../core/rules/testRuns.ts"
import { begin, eraseAll, leftOf, newEverything } from "./erasureStore.ts"
import { idsOf } from "./parts/plain.ts"
import {
  idAt,
  instant,
  makeAuditEntry,
  makeEvent,
  makeKey,
  makeObjectDeletion,
  makeQuarantine,
  makeRepository,
  makeSession,
  makeShareLink,
  makeTrust,
  makeWebhook,
  registered,
  makeRun
} from "./parts/samples.ts"
import { type Home, keyOf, newAccount, newBuild, newHome, newKey, newPreview, newRun } from "./parts/stored.ts"
import { type Cases, Damage } from "./parts/suite.ts"

/** What a case stores: two records of a kind, of which the second is listed first where the newest is, and how they are listed. */
type Make = (home: Home) => Effect.Effect<
  {
    readonly ids: readonly [string, string]
    readonly list: (limit: number) => Effect.Effect<ReadonlyArray<string>, unknown, MetadataPorts>
  },
  unknown,
  MetadataPorts
>

const two = <A, E, R>(make: (nth: number) => Effect.Effect<A, E, R>) => Effect.all([make(1), make(2)])
const idPair = ([one, other]: readonly [{ readonly id: string }, { readonly id: string }]) =>
  [one.id, other.id] as const
const listed = <A>(found: Option.Option<ReadonlyArray<A>>) => Option.getOrThrow(found)

const hosted = Effect.fnUntraced(function* ({ account, repository }: Home) {
  const preview = yield* newPreview(account, { repositoryId: repository.id })
  const ready = onPreviewFinalize(preview, { now: instant(9), hostedPrefix: `hosted/${preview.id}/a/` })
  yield* PreviewStore.use((store) => store.commitFinalize({ preview: ready, billed: false }))
  return ready
})

const builds = (of: "build" | "reservation"): Make =>
  Effect.fnUntraced(function* (home) {
    const made = yield* two(() => newBuild(home))
    const query = { account: home.account.id, repository: keyOf(home.repository) }
    return {
      ids: [made[0][of].id, made[1][of].id],
      list: (limit) =>
        Effect.map(
          OverviewStore.use((store) => store.builds({ ...query, limit })),
          (found) => found.map((view) => (of === "build" ? view.build : view.upload).id)
        )
    }
  })

/** Two runs of tests of their own, each in a CI run of its own. */
const twoRuns = ({ account, repository }: Home) =>
  Effect.flatMap(newPreview(account), (preview) =>
    two((nth) =>
      registered(
        makeRun(repository, preview, {
          name: `test ${nth}`,
          source: `ci:${nth}/1`,
          createdAt: instant(nth),
          device: {}
        })
      )
    )
  )

const kinds: Readonly<Record<string, Make>> = {
  account: Effect.fnUntraced(function* () {
    const ids = idPair(yield* two(() => newAccount))
    const list = Effect.map(
      AccountStore.use((store) => store.list),
      (all) => idsOf(all).filter((id) => ids.includes(id))
    )
    return { ids, list: () => list }
  }),
  key: Effect.fnUntraced(function* ({ account }) {
    const ids = idPair(yield* two(() => newKey(account)))
    return {
      ids,
      list: () =>
        Effect.map(
          KeyStore.use((store) => store.list(account.id)),
          idsOf
        )
    }
  }),
  session: Effect.fnUntraced(function* ({ account }) {
    const key = yield* newKey(account)
    const sessions = yield* two(() => Effect.succeed(makeSession(key)))
    for (const session of sessions) yield* SessionStore.use((store) => store.begin({ session, now: instant(0) }))
    return {
      ids: idPair(sessions),
      list: (limit) =>
        Effect.map(
          SessionStore.use((store) => store.list({ key: key.id, limit })),
          idsOf
        )
    }
  }),
  repository: Effect.fnUntraced(function* ({ account, repository }) {
    const other = yield* RepositoryStore.use((store) => store.link(makeRepository(account)))
    return {
      ids: [repository.id, other.id],
      list: () =>
        Effect.map(
          RepositoryStore.use((store) => store.list(account.id)),
          idsOf
        )
    }
  }),
  trust: Effect.fnUntraced(function* ({ account, repository }) {
    const ids = ["https://one.example", "https://two.example"] as const
    for (const issuer of ids) yield* TrustStore.use((store) => store.trust(makeTrust(repository, { issuer })))
    return {
      ids,
      list: () =>
        Effect.map(
          TrustStore.use((store) => store.list(account.id)),
          (all) => all.map(({ trust }) => trust.issuer)
        )
    }
  }),
  build: builds("build"),
  reservation: builds("reservation"),
  preview: Effect.fnUntraced(function* (home) {
    const query = { account: home.account.id, repository: keyOf(home.repository) }
    return {
      ids: idPair(yield* two(() => hosted(home))),
      list: (limit) =>
        Effect.map(
          OverviewStore.use((store) => store.previews({ ...query, limit })),
          idsOf
        )
    }
  }),
  run: Effect.fnUntraced(function* ({ account, repository }) {
    const query = {
      account: account.id,
      repository: keyOf(repository),
      filter: {},
      after: Option.none(),
      bytes: 2 ** 24
    }
    const preview = yield* newPreview(account)
    const runs = yield* two((nth) => newRun(repository, preview, { createdAt: instant(nth), device: {} }))
    return {
      ids: idPair(runs),
      list: Effect.fnUntraced(function* (limit) {
        const ids = listed(yield* TestRunStore.use((store) => store.list({ ...query, limit }))).map(({ run }) => run.id)
        const ofPreview = yield* OverviewStore.use((store) => store.runsOf(account.id, preview.shareId, limit))
        assert.deepStrictEqual(
          ofPreview.map(({ run }) => run.id),
          ids
        )
        const stored = yield* TestHistoryStore.use((store) =>
          store.storedRuns(testIdOf(runs[0]), { limit, bytes: 2 ** 24 })
        )
        assert.deepStrictEqual(idsOf(stored), ids)
        return ids
      })
    }
  }),
  testHistory: Effect.fnUntraced(function* (home) {
    const runs = yield* twoRuns(home)
    const query = { account: home.account.id, repository: keyOf(home.repository), filter: {} }
    return {
      ids: [testIdOf(runs[0]), testIdOf(runs[1])],
      list: Effect.fnUntraced(function* (limit) {
        const ids = listed(
          yield* TestHistoryStore.use((store) => store.list({ ...query, order: { by: "newest" }, limit }))
        ).map(({ testId }) => testId)
        const words = { words: ["test"], devices: false }
        const found = yield* TestHistoryStore.use((store) => store.searchTests(home.account.id, words, limit))
        assert.deepStrictEqual(
          found.map(({ test }) => test.testId),
          ids
        )
        return ids
      })
    }
  }),
  ciRun: Effect.fnUntraced(function* (home) {
    const runs = yield* twoRuns(home)
    const query = { account: home.account.id, repository: keyOf(home.repository) }
    return {
      ids: [ciRunOf(runs[0]), ciRunOf(runs[1])],
      list: Effect.fnUntraced(function* (limit) {
        const ids = listed(yield* TestHistoryStore.use((store) => store.ciRuns({ ...query, limit }))).map(
          ({ ciRun }) => ciRun
        )
        const by = { words: ["ci"] }
        const found = yield* TestHistoryStore.use((store) => store.searchCiRuns(home.account.id, by, limit))
        assert.deepStrictEqual(
          found.map(({ ciRun }) => ciRun.ciRun),
          ids
        )
        return ids
      })
    }
  }),
  quarantine: Effect.fnUntraced(function* ({ account, repository }) {
    const made = yield* two((nth) => Effect.succeed(makeQuarantine(repository, { createdAt: instant(nth) })))
    for (const one of made) yield* QuarantineStore.use((store) => store.put(one))
    const query = { account: account.id, repository: keyOf(repository) }
    return {
      ids: [made[0].testId, made[1].testId],
      list: Effect.fnUntraced(function* (limit) {
        const ids = listed(yield* QuarantineStore.use((store) => store.list({ ...query, limit }))).map(
          ({ testId }) => testId
        )
        const due = yield* QuarantineStore.use((store) => store.due({ until: instant(999_999), limit }))
        assert.deepStrictEqual(
          due.map(({ quarantine }) => quarantine.testId),
          ids
        )
        return ids
      })
    }
  }),
  shareLink: Effect.fnUntraced(function* ({ account }) {
    const { shared } = makeShareLink(account)
    const links = yield* two(() => Effect.succeed(makeShareLink(account, { shared })))
    for (const link of links) yield* ShareLinkStore.use((store) => store.insert(link))
    const query = { account: account.id, shared }
    return {
      ids: idPair(links),
      list: (limit) =>
        Effect.map(
          ShareLinkStore.use((store) => store.list({ ...query, limit })),
          idsOf
        )
    }
  }),
  auditEntry: Effect.fnUntraced(function* ({ account }) {
    const entries = yield* two(() => Effect.succeed(makeAuditEntry({ accountId: account.id })))
    for (const entry of entries) yield* AuditLog.use((log) => log.record(Effect.void, () => entry))
    return {
      ids: idPair(entries),
      list: (limit) =>
        Effect.map(
          AuditLog.use((log) => log.list({ account: account.id, limit })),
          idsOf
        )
    }
  }),
  removal: Effect.fnUntraced(function* ({ account, repository }) {
    const removals = yield* two(() => Effect.succeed(makeObjectDeletion(account)))
    const { build } = yield* newBuild({ account, repository })
    yield* BuildStore.use((store) => store.commitDelete({ build, removals }))
    return {
      ids: idPair(removals),
      list: (limit) =>
        Effect.map(
          ObjectDeletionStore.use((store) => store.list({ limit })),
          idsOf
        )
    }
  }),
  event: Effect.fnUntraced(function* ({ account }) {
    const keys = yield* two(() => Effect.succeed(makeKey(account)))
    const events = yield* two((nth) => Effect.succeed(makeEvent(keys[nth - 1] ?? keys[0])))
    for (const [index, key] of keys.entries()) yield* KeyStore.use((store) => store.insert(key, events[index]))
    // A claim changes what it answers, so it isn't read again for what can't be decoded.
    const claim = { claim: ClaimId.make(idAt(1)), now: instant(300), until: instant(400), limit: 10 }
    const ids = Effect.map(
      Outbox.use((outbox) => outbox.claim(claim)),
      (found) => found.map(({ event }) => event.id)
    )
    const list = yield* Effect.cached(ids)
    return { ids: idPair(events), list: () => list }
  }),
  webhook: Effect.fnUntraced(function* () {
    const webhooks = yield* two(() => Effect.succeed(makeWebhook()))
    for (const webhook of webhooks) yield* WebhookStore.use((store) => store.insert(webhook))
    return {
      ids: idPair(webhooks),
      list: () =>
        Effect.map(
          WebhookStore.use((store) => store.list),
          idsOf
        )
    }
  })
}

/** Every rule of a sweep that selects records by their time, with a selection of everything. */
const selections = (account: Home["account"]): ReadonlyArray<ExpirySelection> => {
  const until = DateTime.makeUnsafe("2200-01-01")
  return [
    ...["abandoned_builds", "abandoned_uploads", "superseded_uploads", "abandoned_previews", ...endedRules].map(
      (rule) => ({ rule, until })
    ),
    ...["previews", ...agedRules].map((rule) => ({ rule, until, account: account.id })),
    { rule: "builds", account: account.id, keep: 0, now: until, until }
  ] as ReadonlyArray<ExpirySelection>
}

export const unreadableCases = (it: Cases<MetadataPorts>) => {
  it.effect.each(Object.keys(kinds))(
    "a %s that can't be decoded is left out of lists, which have the others",
    function* (kind) {
      const damage = yield* Damage
      const make = kinds[kind]
      if (make === undefined) return
      const {
        ids: [readable, unreadable],
        list
      } = yield* make(yield* newHome)
      if (!(yield* damage(kind, unreadable))) return
      for (const limit of [1, 10]) assert.deepStrictEqual(yield* list(limit), [readable], `a list of ${limit}`)
    }
  )

  it.effect.each(Object.keys(kinds))(
    "sweeps and erasures continue beside a %s that can't be decoded",
    function* (kind) {
      const damage = yield* Damage
      const [own, other] = [yield* newEverything, yield* newEverything]
      const ids: Readonly<Record<string, string>> = {
        account: own.account.id,
        key: own.key.id,
        session: own.session.id,
        repository: own.repository.id,
        trust: "https://issuer.example",
        build: own.build.id,
        reservation: own.build.currentUpload,
        preview: own.preview.id,
        run: own.run.id,
        testHistory: testIdOf(own.run),
        shareLink: own.link.id
      }
      const id = ids[kind]
      if (id === undefined || !(yield* damage(kind, id))) return
      const sweeps = yield* SweepStore
      for (const selection of selections(other.account)) yield* sweeps.due(selection, { limit: 1 })
      yield* begin(other.account)
      assert.isTrue((yield* eraseAll(other.account.id, instant(900), 3)).isOver, "the erasure of another account")
      assert.deepStrictEqual(yield* leftOf(other), [])
      if (kind === "account") return
      yield* begin(own.account)
      const { isOver } = yield* eraseAll(own.account.id, instant(900), 3)
      if (isOver) assert.deepStrictEqual(yield* leftOf(own), [])
      // Nobody knows where the objects of an upload are that can't be decoded, so that its account isn't forgotten.
      if (kind === "reservation" || kind === "preview") assert.isFalse(isOver, "the erasure of its account")
    }
  )
}

export const unreadableSnapshotCase = (it: Cases<MetadataPorts | MetadataSource>) => {
  it.effect("records that can't be decoded are left out of a backup, which has all others", function* () {
    const damage = yield* Damage
    const { run } = yield* newEverything
    const all = MetadataSource.use((source) => source.snapshot(Stream.runCollect))
    const before = yield* all
    if (!(yield* damage("run", run.id))) return
    const kindsOf = (records: typeof before): ReadonlyArray<RecordKind> => records.map(({ kind }) => kind)
    assert.deepStrictEqual(
      kindsOf(yield* all),
      kindsOf(before).filter((kind) => kind !== "run")
    )
  })
}
