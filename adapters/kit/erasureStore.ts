import { assert } from "@effect/vitest"
import { type DateTime, Effect, Option } from "effect"
import type { Account, AccountId } from "../../core/model/Account.ts"
import type { ErasedCounts, Erasure } from "../../core/model/MetadataRecord.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import { EventId, WebhookId } from "../../core/model/SlipwayEvent.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { ClaimId, Outbox } from "../../core/ports/Outbox.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { ObjectDeletionStore } from "../../core/ports/ObjectDeletionStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { QuarantineStore } from "../../core/ports/QuarantineStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { UsageStore } from "../../core/ports/UsageStore.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { onFinalize, onPreviewFinalize } from "../../core/rules/builds.ts"
import { hostedRoot } from "../../core/rules/reservations.ts"
import { addErasedCounts } from "../../core/rules/sweeps.ts"
import { keyOf, newBuild, newHome, newPreview, reserveAgain } from "./parts/stored.ts"
import {
  changeWith,
  idAt,
  instant,
  loadFor,
  makeAccount,
  makeAuditEntry,
  makeEvent,
  makeHosted,
  makeKey,
  makeOnce,
  makePreview,
  makeQuarantine,
  makeObjectDeletion,
  makeRun,
  makeSession,
  makeShareLink,
  makeTrust
} from "./parts/samples.ts"
import { idsOf } from "./parts/plain.ts"
import type { Cases } from "./parts/suite.ts"

const makeErasure = (fields: Partial<Erasure> = {}): Erasure => ({
  nameHash: "a name",
  at: instant(100),
  settledAt: instant(200),
  actor: { administrator: "command line" },
  gone: {},
  ...fields
})

/** Takes an account in steps until one takes nothing, as the service does. Answers what each step took, and the last one. */
export const eraseAll = Effect.fnUntraced(function* (account: AccountId, now: DateTime.Utc, limit: number) {
  const store = yield* ErasureStore
  const steps: Array<ErasedCounts> = []
  while (steps.length < 200) {
    const uploads = (yield* store.uploads({ account, limit })).map((upload) => ({
      ...upload,
      removals: [makeObjectDeletion({ id: account }, { prefix: `uploads/${upload.id}/` })]
    }))
    const step = yield* store.eraseStep({ account, now, uploads, limit })
    if (Object.keys(step.erased).length === 0) return { steps, isOver: step.isOver }
    steps.push(step.erased)
  }
  return yield* Effect.die("an account isn't taken after two hundred steps")
})

const sumOf = (steps: ReadonlyArray<ErasedCounts>): ErasedCounts => steps.reduce(addErasedCounts, {})

const accountsOf = (events: ReadonlyArray<{ readonly event: { readonly account: string } }>) =>
  events.map(({ event }) => event.account)

const twice = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.all([effect, effect], { concurrency: "unbounded" })

export const begin = (account: Pick<Account, "id">, fields: Partial<Erasure> = {}) =>
  ErasureStore.use((store) => store.begin(account.id, makeErasure(fields)))

export const erasureStoreCases = (it: Cases<MetadataPorts>) => {
  it.effect("an account that is being erased is hidden from the first commit on, and no other is", function* () {
    const [erased, other] = [yield* newEverything, yield* newEverything]
    assert.deepStrictEqual(yield* foundBy(erased), allNames)
    assert.isTrue(yield* begin(erased.account))
    assert.deepStrictEqual(yield* foundBy(erased), [])
    assert.deepStrictEqual(yield* foundBy(other), allNames)
    yield* (yield* AccountStore).insert(makeAccount({ name: erased.account.name }))
    assert.isTrue(Option.isSome(yield* AccountStore.use((store) => store.findByName(erased.account.name))))
  })

  it.effect("an account is erased once; its erasure is listed as it was begun", function* () {
    const store = yield* ErasureStore
    const [first, second] = [yield* newHome, yield* newHome]
    const erasure = makeErasure({ address: "192.0.2.1", actor: { administrator: "Ada" } })
    assert.isFalse(yield* begin(makeAccount()))
    assert.deepStrictEqual(yield* store.list, [])
    const begun = yield* twice(store.begin(second.account.id, erasure))
    assert.deepStrictEqual(begun.toSorted(), [false, true])
    assert.isTrue(yield* begin(first.account))
    assert.isFalse(yield* begin(second.account))
    const ids = [first.account.id, second.account.id].toSorted()
    const listed = yield* store.list
    assert.deepStrictEqual(idsOf(listed), ids)
    assert.deepEqual(listed.find(({ id }) => id === second.account.id)?.erasure, erasure)
  })

  it.effect(
    "everything of an account is erased in steps, with removals of its bytes, and nothing of another",
    function* () {
      const [erased, other] = [yield* newEverything, yield* newEverything]
      const { id } = erased.account
      const store = yield* ErasureStore
      assert.deepStrictEqual(yield* leftOf(erased), everyLeft)
      yield* begin(erased.account)
      const { isOver, steps } = yield* eraseAll(id, instant(199), 3)
      assert.isFalse(isOver)
      assert.deepStrictEqual(sumOf(steps), everything)
      for (const { bytes: _, objects: __, sessions: ___, shareLinks: ____, ...records } of steps) {
        assert.isAtMost(
          Object.values(records).reduce((sum: number, some) => sum + (some ?? 0), 0),
          3
        )
      }
      assert.deepStrictEqual(
        (yield* store.list).map(({ erasure }) => erasure.gone),
        [everything]
      )
      const removals = yield* ObjectDeletionStore.use((removals) => removals.list({ limit: 100 }))
      assert.deepStrictEqual(
        removals.map(({ accountId }) => accountId),
        Array.from({ length: 4 }, () => id)
      )
      assert.isTrue((yield* eraseAll(id, instant(200), 3)).isOver)
      assert.deepStrictEqual(yield* leftOf(erased), [])
      const claimed = yield* Outbox.use((outbox) =>
        outbox.claim({ claim: ClaimId.make("a claim"), now: instant(300), until: instant(400), limit: 100 })
      )
      assert.notInclude(accountsOf(claimed), id)

      assert.deepStrictEqual(yield* leftOf(other), everyLeft)
      assert.deepStrictEqual(yield* foundBy(other), allNames)
      assert.include(accountsOf(claimed), other.account.id)
      yield* begin(other.account)
      assert.deepStrictEqual(sumOf((yield* eraseAll(other.account.id, instant(1), 100)).steps), everything)
    }
  )

  it.effect(
    "records that are stored meanwhile are erased too, and the account itself from the settled instant",
    function* () {
      const home = yield* newHome
      const { id } = home.account
      const store = yield* ErasureStore
      yield* begin(home.account)
      const now = (at: number) => eraseAll(id, instant(at), 10)
      assert.deepStrictEqual(yield* now(150), { steps: [{ repositories: 1 }], isOver: false })
      yield* PreviewStore.use((previews) => previews.commitReserve({ preview: makePreview(home.account) }))
      assert.deepStrictEqual(yield* now(199), { steps: [{ previews: 1 }], isOver: false })
      assert.strictEqual((yield* store.list).length, 1)
      const taken = yield* twice(store.eraseStep({ account: id, now: instant(200), uploads: [], limit: 10 }))
      assert.deepStrictEqual(taken.map(({ isOver }) => isOver).toSorted(), [false, true])
      assert.deepStrictEqual(yield* store.list, [])
      assert.deepStrictEqual(yield* now(300), { steps: [], isOver: false })
      assert.isFalse(yield* begin(home.account))
    }
  )

  it.effect("an account is not deleted while an upload of it is left", function* () {
    const home = yield* newHome
    yield* newBuild(home)
    const store = yield* ErasureStore
    yield* begin(home.account)
    const take = store.eraseStep({ account: home.account.id, now: instant(900), uploads: [], limit: 10 })
    assert.deepStrictEqual(yield* take, { erased: {}, isOver: false })
    assert.strictEqual((yield* store.uploads({ account: home.account.id, limit: 10 })).length, 1)
    const { isOver, steps } = yield* eraseAll(home.account.id, instant(900), 10)
    assert.deepStrictEqual([isOver, sumOf(steps)], [true, { uploads: 1, builds: 1, repositories: 1 }])
  })

  it.effect("nothing is erased of an account that is not being erased, nor of another account", function* () {
    const [erased, other] = [yield* newEverything, yield* newEverything]
    const store = yield* ErasureStore
    const { id } = other.account
    assert.deepStrictEqual(yield* store.uploads({ account: id, limit: 10 }), [])
    assert.deepStrictEqual(yield* eraseAll(id, instant(900), 10), { steps: [], isOver: false })
    yield* begin(other.account)
    const uploads = (yield* store.uploads({ account: id, limit: 10 })).map((one) => ({ ...one, removals: [] }))
    assert.strictEqual(uploads.length, 4)
    yield* begin(erased.account)
    const step = yield* store.eraseStep({ account: erased.account.id, now: instant(1), uploads, limit: 10 })
    assert.deepStrictEqual(step, { erased: {}, isOver: false })
    assert.strictEqual((yield* store.uploads({ account: id, limit: 10 })).length, 4)
    assert.strictEqual((yield* store.uploads({ account: id, limit: 3 })).length, 3)
  })
}

// An account with a record of every kind, and what ports still find of it.

const issuer = "https://issuer.example"
/** What `newEverything` stores of an account, by kind. */
export const everything: ErasedCounts = {
  keys: 2,
  sessions: 1,
  shareLinks: 1,
  answers: 1,
  trusts: 1,
  runs: 1,
  histories: 2,
  ciRuns: 1,
  quarantines: 1,
  previews: 2,
  uploads: 2,
  builds: 1,
  billedRuns: 1,
  contents: 1,
  webhooks: 1,
  events: 2,
  auditEntries: 1,
  retention: 1,
  quotas: 1,
  repositories: 1,
  objects: 2,
  bytes: 2
}

/** An account with records of each kind; of builds and previews, an upload that is finalized and one that is open. */
export const newEverything = Effect.gen(function* () {
  const home = yield* newHome
  const { account, repository } = home
  const [builds, keys, previews] = [yield* BuildStore, yield* KeyStore, yield* PreviewStore]
  const [key, noted] = [makeKey(account), makeKey(account)]
  yield* keys.insert(key)
  yield* keys.insert(noted, makeEvent(noted))
  const session = makeSession(key)
  yield* SessionStore.use((sessions) => sessions.begin({ session, now: instant(0) }))
  yield* TrustStore.use((trusts) => trusts.trust(makeTrust(repository, { issuer })))

  const { build, reservation } = yield* newBuild(home)
  const ready = onFinalize(build, reservation, { now: instant(9), hostedPrefix: `${hostedRoot(reservation)}1/` })
  const hosted = makeHosted(account)
  yield* builds.commitFinalize({ ...ready, hosted: [hosted] })
  yield* builds.commitReserve(reserveAgain(home, ready.build))
  const preview = yield* newPreview(account, { repositoryId: repository.id })
  const hostedPrefix = `${hostedRoot(preview)}1/`
  yield* previews.commitFinalize({
    preview: onPreviewFinalize(preview, { now: instant(9), hostedPrefix }),
    billed: true
  })
  yield* newPreview(account)

  const once = makeOnce(account)
  const run = makeRun(repository, preview, { keptAt: instant(4), branch: "main", source: "ci:1/1" })
  const event = { ...makeEvent(noted), id: EventId.make(idAt(1)) }
  const history = yield* changeWith(run)
  yield* TestRunStore.use((runs) => runs.insert({ run, history, once, events: [event] }))
  yield* QuarantineStore.use((quarantines) => quarantines.put(makeQuarantine(repository)))
  const link = makeShareLink(account, { shared: { preview: preview.shareId } })
  yield* ShareLinkStore.use((links) => links.insert(link))
  const webhook = {
    id: WebhookId.make(idAt(1)),
    url: "https://ci.example/",
    secret: "whsec_AAAA",
    accountId: account.id,
    types: [],
    createdAt: instant(7)
  }
  yield* WebhookStore.use((webhooks) =>
    Effect.andThen(
      webhooks.insert(webhook),
      webhooks.log({
        at: instant(8),
        webhook: webhook.id,
        event: event.id,
        type: "key.created",
        attempt: 1,
        status: "failed",
        answer: "answered 500"
      })
    )
  )
  yield* AuditLog.use((log) => log.record(Effect.void, () => makeAuditEntry({ accountId: account.id })))
  yield* RetentionStore.use((retention) => retention.setRules({ accountId: account.id, rules: { buildsPerBranch: 3 } }))
  yield* UsageStore.use((usage) => usage.setQuotas({ accountId: account.id, bytesStored: 7 }))
  return {
    account,
    build: ready.build,
    home,
    hosted,
    key,
    link,
    once,
    preview,
    repository,
    run,
    session,
    noted,
    webhook
  }
})

type Everything = Effect.Success<typeof newEverything>
/** The names under which the ports that let somebody in, or tell who there is, find an account. */
const foundBy = Effect.fnUntraced(function* ({ account, key, link, repository, session }: Everything) {
  const [accounts, keys] = [yield* AccountStore, yield* KeyStore]
  const [links, sessions] = [yield* ShareLinkStore, yield* SessionStore]
  const trusts = yield* TrustStore
  const found = {
    name: Option.isSome(yield* accounts.findByName(account.name)),
    id: Option.isSome(yield* accounts.findByName(account.id)),
    list: (yield* accounts.list).some(({ id }) => id === account.id),
    key: Option.isSome(yield* keys.findByHash(key.hash)),
    keyId: Option.isSome(yield* keys.findById(key.id)),
    session: Option.isSome(yield* sessions.findByHash(session.secretHash)),
    sessionId: Option.isSome(yield* sessions.findById(session.id)),
    link: Option.isSome(yield* links.findByHash(link.secretHash)),
    linkId: Option.isSome(yield* links.find(link.id)),
    trust: Option.isSome(yield* trusts.find(keyOf(repository), issuer))
  }
  return Object.entries(found).flatMap(([name, isFound]) => (isFound ? [name] : []))
})

const allNames = ["name", "list", "key", "keyId", "session", "sessionId", "link", "linkId", "trust"]

/** What the ports still answer of an account by its id. */
export const leftOf = Effect.fnUntraced(function* ({
  account,
  build,
  hosted,
  once,
  preview,
  repository,
  run,
  webhook
}: Everything) {
  const usage = yield* UsageStore.use((store) => store.find(account.id, "2026-05", instant(300)))
  const histories = yield* loadFor(run)
  const left = {
    history: Option.isSome(histories.all) || Option.isSome(histories.branch),
    ciRun: Option.isSome(histories.ciRun),
    keys: (yield* KeyStore.use((store) => store.list(account.id))).length > 0,
    repositories: (yield* RepositoryStore.use((store) => store.list(account.id))).length > 0,
    build: Option.isSome(yield* BuildStore.use((store) => store.findById(account.id, build.id))),
    preview: Option.isSome(yield* PreviewStore.use((store) => store.findByShareId(account.id, preview.shareId))),
    run: Option.isSome(yield* TestRunStore.use((store) => store.find(account.id, run.id))),
    billed: (yield* PreviewStore.use((store) => store.usage(account.id))).length > 0,
    answer: Option.isSome(
      yield* IdempotencyStore.use((store) => store.find(account.id, once.answer.keyHash, once.now))
    ),
    content: (yield* ReservationStore.use((store) => store.findHosted(account.id, [hosted]))).length > 0,
    webhook: Option.isSome(yield* WebhookStore.use((store) => store.find(webhook.id))),
    attempts: (yield* WebhookStore.use((store) => store.attempts({ webhook: webhook.id, limit: 1 }))).length > 0,
    audit: (yield* AuditLog.use((log) => log.list({ account: account.id, limit: 1 }))).length > 0,
    rules: Option.isSome(yield* RetentionStore.use((store) => store.rules(account.id))),
    usage: Object.values({ ...usage.used, ...usage.own }).some((amount) => amount !== 0),
    link: Option.isSome(
      yield* RepositoryStore.use((store) => store.find(account.id, repositoryKey(repository.owner, repository.repo)))
    )
  }
  return Object.entries(left).flatMap(([name, isLeft]) => (isLeft ? [name] : []))
})

const everyLeft = [
  "history",
  "ciRun",
  "keys",
  "repositories",
  "build",
  "preview",
  "run",
  "billed",
  "answer",
  "content",
  "webhook",
  "attempts",
  "audit",
  "rules",
  "usage",
  "link"
]
