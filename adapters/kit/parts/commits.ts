/**
 * The commits of which one of several is made: how to make a valid one, and how to observe it. The suites of the ports
 * generate cases from them: each is stored whole or not at all, once of many, and with its event.
 */
import { assert } from "@effect/vitest"
import { Context, type DateTime, Effect, Fiber, Option, Result } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { AuditEntry } from "../../../core/model/AuditEntry.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import { type EventContent, EventId, type SlipwayEvent, Webhook } from "../../../core/model/SlipwayEvent.ts"
import type { CiRun } from "../../../core/model/TestHistory.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { ClaimId, Outbox } from "../../../core/ports/Outbox.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import type { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { QuarantineStore } from "../../../core/ports/QuarantineStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { Conflict } from "../../../core/ports/WriteFailure.ts"
import { onFinalize, onPreviewFinalize } from "../../../core/rules/builds.ts"
import {
  buildReady,
  ciRunFinished,
  previewHosted,
  quarantineEvent,
  runRegistered,
  shareCreated,
  shareRevoked,
  webhookDisabled
} from "../../../core/rules/events.ts"
import { noTotals } from "../../../core/rules/testResults.ts"
import { ciRunOfSource } from "../../../core/rules/testRuns.ts"
import {
  found,
  plainBuild,
  plainCiRun,
  plainEvent,
  plainKey,
  plainOf,
  plainPreview,
  plainQuarantine,
  plainRun,
  plainShareLink
} from "./plain.ts"
import {
  after,
  idAt,
  instant,
  makeEvent,
  makeIdentity,
  makeKey,
  makeOnce,
  makePreview,
  makeQuarantine,
  makeRun,
  makeShareLink,
  makeTrust,
  makeWebhook,
  nameOf
} from "./samples.ts"
import {
  type BuildPorts,
  firstReserve,
  type Home,
  keyOf,
  newAccount,
  newBuild,
  newHome,
  newKey,
  newPreview,
  plainReserved,
  reserveAgain
} from "./stored.ts"
import type { Cases } from "./suite.ts"

/** What is stored with a commit, where its member takes it. */
interface Extras {
  readonly event?: SlipwayEvent
  readonly entry?: AuditEntry
}

/** What an attempt alone stores, and what else it changes, as plain values. */
interface Seen {
  readonly own: unknown
  readonly others: unknown
}

export interface Attempt {
  /** Fails with `Conflict`, or answers `false`, when it is refused. */
  readonly commit: (extras?: Extras) => Effect.Effect<unknown, unknown>
  readonly seen: Effect.Effect<Seen, unknown>
  /** What is seen when it is made. */
  readonly expected: Seen
  /** What its event tells, where it has one. */
  readonly content?: EventContent
}

/** Stores what attempts are made from. Of these attempts, the first to be made is the only one. */
type Rivals<R> = Effect.Effect<(nth: number) => Attempt, unknown, R>

/** Commits by their names. */
export type Tables<R> = Readonly<Record<string, Rivals<R>>>

const ofKey = (key: Parameters<typeof makeEvent>[0], type?: Parameters<typeof makeEvent>[1]): EventContent => {
  const { id: _, timestamp: __, ...content } = makeEvent(key, type)
  return content
}

type BuildChange = ReturnType<typeof firstReserve>

/** What is seen of a change of a build. */
const seenOfBuild = (store: BuildStore["Service"], home: Home, change: BuildChange) => ({
  seen: Effect.gen(function* () {
    const reserved = yield* store.findByToken(change.reservation.tokenHash)
    const slot = yield* store.loadForReserve(home.account.id, keyOf(home.repository), change.build)
    return {
      own: found((one) => plainReserved(one).reservation, reserved),
      others: {
        build: found((one) => plainReserved(one).build, reserved),
        slot: found(
          plainBuild,
          Option.flatMap(slot, (one) => one.build)
        )
      }
    }
  }),
  expected: {
    own: plainReserved({ ...change, repository: home.repository }).reservation,
    others: { build: plainBuild(change.build), slot: plainBuild(change.build) }
  }
})

export const buildCommits = {
  "the first reserve of a build": Effect.gen(function* () {
    const [store, home, identity] = [yield* BuildStore, yield* newHome, makeIdentity()]
    return () => {
      const change = firstReserve(home, { build: identity })
      return { commit: () => store.commitReserve(change), ...seenOfBuild(store, home, change) }
    }
  }),
  "a later reserve of a build": Effect.gen(function* () {
    const [store, home] = [yield* BuildStore, yield* newHome]
    const { build } = yield* newBuild(home)
    return () => {
      const change = reserveAgain(home, build, { id: ReservationId.make(idAt(2)), expiresAt: instant(1e9) })
      return { commit: () => store.commitReserve(change), ...seenOfBuild(store, home, change) }
    }
  }),
  "a finalize of a build": Effect.gen(function* () {
    const [store, home] = [yield* BuildStore, yield* newHome]
    const { build, reservation } = yield* newBuild(home)
    return (nth) => {
      const hostedPrefix = `hosted/${reservation.id}/${nth}/`
      const change = onFinalize(build, reservation, { now: instant(77), hostedPrefix })
      return {
        commit: (extras) => store.commitFinalize({ ...change, ...extras }),
        ...seenOfBuild(store, home, change),
        content: buildReady({ build: change.build, repository: home.repository })
      }
    }
  })
} satisfies Tables<BuildPorts>

export const previewCommits = {
  "a finalize of a preview": Effect.gen(function* () {
    const [store, { account }] = [yield* PreviewStore, yield* newHome]
    const reserved = makePreview(account)
    yield* store.commitReserve({ preview: reserved })
    return (nth) => {
      const hostedPrefix = `hosted/${reserved.id}/${nth}/`
      const preview = onPreviewFinalize(reserved, { now: instant(77), hostedPrefix })
      return {
        commit: (extras) => store.commitFinalize({ preview, billed: true, ...extras }),
        seen: Effect.gen(function* () {
          return {
            own: found(plainPreview, yield* store.findByToken(preview.tokenHash)),
            others: yield* store.usage(account.id)
          }
        }),
        expected: { own: plainPreview(preview), others: [{ month: "2026-05", billedTestRuns: 1 }] },
        content: previewHosted(preview)
      }
    }
  })
} satisfies Tables<AccountStore | RepositoryStore | PreviewStore>

const runCommits = {
  "the registration of a run": Effect.gen(function* () {
    const [store, { account, repository }] = [yield* TestRunStore, yield* newHome]
    const [preview, once] = [yield* newPreview(account), makeOnce(account)]
    return () => {
      const run = makeRun(repository, preview, { name: `"q" \\ é 漢 🙂 ${"n".repeat(900)}`, pr: 7 })
      return {
        commit: ({ entry, event } = {}) =>
          store.insert({ run, once, entry, events: event === undefined ? [] : [event] }),
        seen: Effect.gen(function* () {
          const own = found((view) => plainRun(view.run), yield* store.find(account.id, run.id))
          return { own, others: undefined }
        }),
        expected: { own: plainRun(run), others: undefined },
        content: runRegistered({ run, repository })
      }
    }
  })
} satisfies Tables<BuildPorts | PreviewStore | TestRunStore>

export const keyCommits = {
  "a rotation of a key": Effect.gen(function* () {
    const [store, account] = [yield* KeyStore, yield* newAccount]
    const old = yield* newKey(account)
    const seen = (id: typeof old.id) => Effect.map(store.findById(id), (one) => found(({ key }) => plainKey(key), one))
    return () => {
      const replacement = makeKey(account, { expiresAt: instant(9000) })
      const change = { old: old.id, oldExpiresAt: instant(100), now: instant(100), replacement }
      return {
        commit: (extras) => store.rotate({ ...change, ...extras }),
        seen: Effect.all({ own: seen(replacement.id), others: seen(old.id) }),
        expected: { own: plainKey(replacement), others: plainKey({ ...old, expiresAt: instant(100) }) },
        content: ofKey(replacement)
      }
    }
  })
} satisfies Tables<AccountStore | KeyStore>

export const trustCommits = {
  "the exchange of a token for a key": Effect.gen(function* () {
    const [store, keys, { account }] = [yield* TrustStore, yield* KeyStore, yield* newHome]
    const token = { tokenHash: nameOf("token"), endsAt: instant(110), now: instant(10) }
    return () => {
      const key = makeKey(account)
      return {
        commit: (extras) => store.exchange({ ...token, key, ...extras }),
        seen: Effect.map(keys.findByHash(key.hash), (one) => ({
          own: found((owner) => plainKey(owner.key), one),
          others: undefined
        })),
        expected: { own: plainKey(key), others: undefined },
        content: ofKey(key)
      }
    }
  }),
  "the pinning of ids to a trust": Effect.gen(function* () {
    const [store, { repository }] = [yield* TrustStore, yield* newHome]
    const trust = makeTrust(repository)
    yield* store.trust(trust)
    return (nth) => {
      const ids = { repository: `${nth}`, owner: "1" }
      return {
        commit: () => store.pin(repository.id, trust.issuer, ids),
        seen: Effect.map(store.find(keyOf(repository), trust.issuer), (one) => ({
          own: Option.getOrUndefined(Option.flatMap(one, (some) => some.trust))?.pinned,
          others: undefined
        })),
        expected: { own: ids, others: undefined }
      }
    }
  })
} satisfies Tables<BuildPorts | TrustStore>

/** A CI run without runs. */
const newCiRun = (repository: Repository): CiRun => ({
  ...noTotals,
  repositoryId: repository.id,
  accountId: repository.accountId,
  ciRun: ciRunOfSource("ci:1"),
  source: "ci:1/1",
  startedAt: instant(10)
})

/** Commits that are repeated without a failure: only the event of the first is stored. */
const repeatedCommits = {
  "a revocation of a key": Effect.gen(function* () {
    const [store, { account }] = [yield* KeyStore, yield* newHome]
    const key = makeKey(account)
    yield* store.insert(key)
    return () => ({
      commit: ({ event } = {}) => store.revoke(key.id, instant(2), event),
      seen: Effect.map(store.findById(key.id), (one) => ({
        own: found((owner) => plainKey(owner.key), one),
        others: undefined
      })),
      expected: { own: plainKey({ ...key, revokedAt: instant(2) }), others: undefined },
      content: ofKey(key, "key.revoked")
    })
  }),
  "a revocation of a share link": Effect.gen(function* () {
    const [store, { account }] = [yield* ShareLinkStore, yield* newHome]
    const link = makeShareLink(account)
    yield* store.insert(link)
    return () => ({
      commit: ({ event } = {}) => store.revoke(account.id, link.id, instant(2), event),
      seen: Effect.map(store.find(link.id), (one) => ({ own: found(plainShareLink, one), others: undefined })),
      expected: { own: plainShareLink({ ...link, revokedAt: instant(2) }), others: undefined },
      content: shareRevoked(link)
    })
  }),
  "a change of a webhook's state": Effect.gen(function* () {
    const [store, { account }] = [yield* WebhookStore, yield* newHome]
    const webhook = makeWebhook({ accountId: account.id })
    yield* store.insert(webhook)
    const state = { failingSince: instant(8), disabledAt: instant(9) }
    return () => ({
      commit: ({ event } = {}) => store.changeState({ webhook, state, event }),
      seen: Effect.map(store.find(webhook.id), (one) => ({ own: found(plainOf(Webhook), one), others: undefined })),
      expected: { own: plainOf(Webhook)({ ...webhook, ...state }), others: undefined },
      content: webhookDisabled(account.id, webhook.id, instant(8))
    })
  }),
  "the end of a quarantine": Effect.gen(function* () {
    const [store, { account, repository }] = [yield* QuarantineStore, yield* newHome]
    const quarantine = makeQuarantine(repository, { expiresAt: instant(20) })
    yield* store.put(quarantine)
    return () => ({
      commit: ({ event } = {}) => store.expire({ quarantine, at: instant(21), event }),
      seen: Effect.map(store.find(account.id, quarantine.testId), (one) => ({
        own: found((view) => plainQuarantine(view.quarantine), one),
        others: undefined
      })),
      expected: { own: plainQuarantine({ ...quarantine, expiredAt: instant(21) }), others: undefined },
      content: quarantineEvent("quarantine.expired", { quarantine, repository })
    })
  }),
  "the end of a CI run with a missing import": Effect.gen(function* () {
    const [store, { account, repository }] = [yield* TestHistoryStore, yield* newHome]
    const ciRun = { ...newCiRun(repository), importsVersion: 1, finishesAt: instant(30) }
    yield* store.saveImports(ciRun)
    const { finishesAt: _, ...ended } = ciRun
    return () => ({
      commit: ({ event } = {}) => store.finish({ ciRun, event }),
      seen: Effect.map(store.findCiRun(account.id, keyOf(repository), ciRun.ciRun), (one) => ({
        own: found(plainCiRun, one),
        others: undefined
      })),
      expected: { own: plainCiRun({ ...ended, importsVersion: 2 }), others: undefined },
      content: ciRunFinished({ ciRun, repository }, undefined)
    })
  })
} satisfies Tables<BuildPorts | QuarantineStore | ShareLinkStore | TestHistoryStore | WebhookStore>

/** Inserts, each of something new: they are never refused. */
const inserts = {
  "the insert of a key": Effect.gen(function* () {
    const [store, { account }] = [yield* KeyStore, yield* newHome]
    const key = makeKey(account)
    return () => ({
      commit: ({ event } = {}) => store.insert(key, event),
      seen: Effect.map(store.findById(key.id), (one) => ({
        own: found((owner) => plainKey(owner.key), one),
        others: undefined
      })),
      expected: { own: plainKey(key), others: undefined },
      content: ofKey(key)
    })
  }),
  "the insert of a share link": Effect.gen(function* () {
    const [store, { account }] = [yield* ShareLinkStore, yield* newHome]
    const link = makeShareLink(account)
    return () => ({
      commit: ({ event } = {}) => store.insert(link, event),
      seen: Effect.map(store.find(link.id), (one) => ({ own: found(plainShareLink, one), others: undefined })),
      expected: { own: plainShareLink(link), others: undefined },
      content: shareCreated(link)
    })
  }),
  "the imports of a CI run": Effect.gen(function* () {
    const [store, { account, repository }] = [yield* TestHistoryStore, yield* newHome]
    const ciRun = { ...newCiRun(repository), imports: [], importsVersion: 1 }
    return () => ({
      commit: ({ event } = {}) => store.saveImports(ciRun, event),
      seen: Effect.map(store.findCiRun(account.id, keyOf(repository), ciRun.ciRun), (one) => ({
        own: found(plainCiRun, one),
        others: undefined
      })),
      expected: { own: plainCiRun(ciRun), others: undefined },
      content: ciRunFinished({ ciRun, repository }, undefined)
    })
  })
} satisfies Tables<BuildPorts | ShareLinkStore | TestHistoryStore>

/** The commits that store an audit entry. */
export const auditedCommits: Tables<BuildPorts | PreviewStore | TestRunStore> = {
  "a finalize of a build": buildCommits["a finalize of a build"],
  ...previewCommits,
  ...runCommits
}

type PublishedPorts =
  | BuildPorts
  | PreviewStore
  | QuarantineStore
  | ShareLinkStore
  | TestHistoryStore
  | TestRunStore
  | TrustStore
  | WebhookStore
type Published = Tables<PublishedPorts>

const ofMany: Published = {
  ...auditedCommits,
  ...keyCommits,
  "the exchange of a token for a key": trustCommits["the exchange of a token for a key"],
  ...repeatedCommits
}

/** The commits that store an event: all, and those that can be made again. */
const publishedCommits: { readonly all: Published; readonly ofMany: Published } = {
  all: { ...inserts, ...ofMany },
  ofMany
}

// Helpers for cases in which several attempts race and exactly one is committed.

export const many = Array.from({ length: 32 }, (_, index) => index)

export const concurrently = <E, R>(attempts: ReadonlyArray<Effect.Effect<void, E, R>>) =>
  Effect.forEach(attempts, Effect.result, { concurrency: "unbounded" })

/** The index of the only attempt that was committed. Asserts that the others were refused with the reason. */
export const onlyWinner = (
  results: ReadonlyArray<Result.Result<void, unknown>>,
  refusal: new () => object = Conflict
): number => {
  const winners = results.flatMap((result, index) => (Result.isSuccess(result) ? [index] : []))
  assert.strictEqual(winners.length, 1, "attempts that were committed")
  for (const result of results.filter(Result.isFailure)) assert.instanceOf(result.failure, refusal)
  return winners[0] ?? -1
}

export const assertConflict = <R>(commit: Effect.Effect<void, unknown, R>) =>
  Effect.gen(function* () {
    assert.instanceOf(yield* Effect.flip(commit), Conflict)
  })

/**
 * Runs an effect and makes the engine fail at its statement with this number, counted from 0. Answers whether the effect
 * came to that statement. The adapter's own test provides it; without it, only interruptions break commits off.
 */
export const FailingEngine = Context.Reference<
  ((nth: number, commit: Effect.Effect<unknown, unknown>) => Effect.Effect<boolean>) | undefined
>("slipway/adapters/kit/FailingEngine", { defaultValue: () => undefined })

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const waits: ReadonlyArray<Effect.Effect<void>> = [
  ...Array.from({ length: 8 }, (_, times) => Effect.replicateEffect(Effect.yieldNow, times, { discard: true })),
  ...[1, 2, 3, 5, 8, 13].map((times) => Effect.replicateEffect(turn, times, { discard: true }))
]

/** Begins from new and answers a commit, and a check that asserts what has to hold however the commit ended. */
type Interruptible<B, E, R, E2, E3, R3> = Effect.Effect<
  { readonly run: Effect.Effect<B, E2>; readonly check: Effect.Effect<void, E3, R3> },
  E,
  R
>

/** Interrupts an attempt at many moments: at once, after its first step, and so on until it may have ended. */
export const wheneverInterrupted = <B, E, R, E2, E3, R3>(attempt: Interruptible<B, E, R, E2, E3, R3>) =>
  Effect.forEach(
    waits,
    Effect.fnUntraced(function* (wait) {
      const { check, run } = yield* attempt
      const fiber = yield* Effect.forkChild(run)
      yield* wait
      yield* Fiber.interrupt(fiber)
      yield* check
    }),
    { discard: true }
  )

/** Makes the engine fail at each statement of an attempt in turn, where the adapter's engine can be made to. */
const whereverTheEngineFails = <B, E, R, E2, E3, R3>(attempt: Interruptible<B, E, R, E2, E3, R3>) =>
  Effect.gen(function* () {
    const failAt = yield* FailingEngine
    if (failAt === undefined) return
    for (let nth = 0, hasFailed = true; hasFailed; nth++) {
      const { check, run } = yield* attempt
      hasFailed = yield* failAt(nth, run)
      yield* check
    }
  })

/** Two cases of one attempt: it is interrupted, and the engine fails in its middle. */
export const assertAtomic = <B, E, R, E2, E3, R3, P>(
  it: Cases<P>,
  { failing, interrupted }: { readonly interrupted: string; readonly failing: string },
  attempt: Interruptible<B, E, R & P, E2, E3, R3 & P>
) => {
  it.effect(interrupted, () => wheneverInterrupted(attempt))
  it.effect(failing, () => whereverTheEngineFails(attempt))
}

// What the cases of an outbox claim and find in it.

/** When cases claim, and when those claims end. */
export const now = instant(1000)
export const until = instant(2000)
export const claimId = () => ClaimId.make(idAt(1))

export const claim = (at: DateTime.Utc = now, limit = 100) =>
  Outbox.use((outbox) => outbox.claim({ claim: claimId(), now: at, until: after(at, 1000), limit }))

/** The ids of the events that are claimed. */
export const claimIds = (at?: DateTime.Utc, limit?: number) =>
  Effect.map(claim(at, limit), (claimed) => claimed.map(({ event }) => event.id))

/** What can be claimed at an instant at which every claim and every pause is over. */
export const allDue = claimIds(instant(1e9))

/** The only event that can be claimed. */
export const claimOne = Effect.fnUntraced(function* (at?: DateTime.Utc) {
  const [one, ...others] = yield* claim(at)
  assert.deepStrictEqual(others, [])
  return one ?? assert.fail("nothing can be claimed")
})

export const dead = Effect.map(
  Outbox.use((outbox) => outbox.dead({ limit: 100 })),
  (found) =>
    found.map(({ attempts, deadAt, event, reason }) => ({ attempts, deadAt, event: plainEvent(event), reason }))
)

/** Takes every event out of the outbox, whatever it waits for. An event that is claimed again ends it. */
export const drained = Effect.gen(function* () {
  const events: Array<SlipwayEvent> = []
  const seen = new Set<string>()
  for (let at = 1e9; ; at += 1e6) {
    const claimed = yield* claim(instant(at))
    if (claimed.length === 0) return events
    for (const one of claimed) {
      assert.notInclude(seen, one.id, "claimed again after it was done")
      seen.add(one.id)
      assert.isTrue(yield* Outbox.use((outbox) => outbox.done(one)))
      events.push(one.event)
    }
  }
})

// Cases of commits: each is stored whole or not at all, once of many, and with its event.

const eventOf = ({ content }: Attempt): SlipwayEvent => ({
  id: EventId.make(idAt(1)),
  timestamp: instant(7),
  ...(content ?? assert.fail("the commit has no event"))
})

/** Whether an attempt was made. Asserts that everything of it is stored. */
const isMade = ({ expected, seen }: Attempt) =>
  Effect.map(seen, (now) => {
    if (!isDeepStrictEqual(now.own, expected.own)) return false
    assert.deepStrictEqual(now, expected)
    return true
  })

/** Two cases of each commit: it is interrupted at any moment, and the engine fails at any of its statements. */
export const assertWhole = <R>(it: Cases<R>, commits: Tables<R>): void => {
  for (const [name, rivals] of Object.entries(commits)) {
    assertAtomic(
      it,
      {
        interrupted: `${name} that is interrupted at any moment is stored whole or not at all`,
        failing: `${name} during which the engine fails is stored whole or not at all`
      },
      Effect.gen(function* () {
        const make = yield* rivals
        const attempt = make(0)
        const before = yield* attempt.seen
        return {
          run: attempt.commit(),
          check: Effect.gen(function* () {
            if (yield* isMade(attempt)) return
            assert.deepStrictEqual(yield* attempt.seen, before)
            yield* attempt.commit()
            assert.isTrue(yield* isMade(attempt), "the commit can be made again")
          })
        }
      })
    )
  }
}

const isRefused = (result: Result.Result<unknown, unknown>) => Result.isFailure(result) || result.success === false

/** A case of each commit: exactly one of 32 attempts at once is made, and the others leave no trace. */
export const assertOnce = <R>(it: Cases<R>, commits: Tables<R>): void => {
  for (const [name, rivals] of Object.entries(commits)) {
    it.effect(`of ${name} by many at once, exactly one is made, and the others leave nothing`, function* () {
      const make = yield* rivals
      const attempts = many.map(make)
      const results = yield* concurrently(attempts.map(({ commit }) => Effect.flatMap(commit(), refuse)))
      const made = results.map((result) => !isRefused(result))
      assert.lengthOf(made.filter(Boolean), 1, "attempts that were made")
      for (const result of results.filter(Result.isFailure))
        assert.include(["Conflict", "refused"], tagOf(result.failure))
      assert.deepStrictEqual(yield* Effect.forEach(attempts, isMade), made)
      const late = make(many.length)
      assert.isTrue(Result.isFailure(yield* Effect.result(Effect.flatMap(late.commit(), refuse))), "a later attempt")
      assert.isFalse(yield* isMade(late))
    })
  }
}

const refuse = (answer: unknown) => (answer === false ? Effect.fail("refused") : Effect.void)
const tagOf = (failure: unknown) =>
  typeof failure === "object" && failure !== null && "_tag" in failure ? failure._tag : failure

/** Cases of each commit with an event: the outbox has it exactly when the commit is stored. */
export const assertPublished = (it: Cases<Outbox | PublishedPorts>) => {
  for (const [name, rivals] of Object.entries(publishedCommits.all)) {
    const attempted = Effect.map(rivals, (make) => {
      const attempt = make(0)
      return { attempt, event: eventOf(attempt) }
    })

    it.effect(`${name} stores its event, which comes back unchanged, and none without one`, function* () {
      const [{ attempt: without }, { attempt, event }] = [yield* attempted, yield* attempted]
      yield* without.commit()
      assert.deepStrictEqual(yield* drained, [])
      yield* attempt.commit({ event })
      assert.deepStrictEqual((yield* drained).map(plainEvent), [plainEvent(event)])
    })

    assertAtomic(
      it,
      {
        interrupted: `${name} that is interrupted at any moment stores its event, or neither`,
        failing: `${name} during which the engine fails stores its event, or neither`
      },
      Effect.map(attempted, ({ attempt, event }) => ({
        run: attempt.commit({ event }),
        check: Effect.gen(function* () {
          const expected = (yield* isMade(attempt)) ? [event.id] : []
          const ids = (yield* drained).map(({ id }) => id)
          assert.deepStrictEqual(ids, expected)
        })
      }))
    )
  }

  for (const [name, rivals] of Object.entries(publishedCommits.ofMany)) {
    it.effect(`of ${name} by many at once or later, the first alone stores its event`, function* () {
      const make = yield* rivals
      const attempts = many.map(make).map((attempt) => ({ attempt, event: eventOf(attempt) }))
      yield* Effect.forEach(attempts, ({ attempt, event }) => Effect.result(attempt.commit({ event })), {
        concurrency: "unbounded"
      })
      const [stored, ...others] = yield* drained
      assert.deepStrictEqual(others, [])
      const first = attempts.find(({ event }) => event.id === stored?.id)
      assert.isTrue(first !== undefined && (yield* isMade(first.attempt)), "the event is that of another attempt")
      const late = make(many.length)
      yield* Effect.result(late.commit({ event: eventOf(late) }))
      assert.deepStrictEqual(yield* drained, [])
    })
  }
}
