import { Effect, type DateTime } from "effect"
import type { Build } from "../../../core/model/Build.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import { EndedRule, type ExpirySelection } from "../../../core/model/Sweep.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { ErasureStore } from "../../../core/ports/ErasureStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { SweepStore, type DuePage } from "../../../core/ports/SweepStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { onFinalize } from "../../../core/rules/builds.ts"
import { newBuild, newHome, reserveAgain, type Home } from "../../kit/parts/buildPorts.ts"
import {
  idAt,
  instant,
  makeKey,
  makeOnce,
  makePreview,
  makeRemoval,
  makeRun,
  makeSession,
  makeShareLink
} from "../../kit/parts/samples.ts"
import { registered } from "../../kit/parts/histories.ts"
import { newKey, newRun } from "../../kit/parts/stored.ts"
import { newPreview, type Reserved } from "../../kit/parts/sweepPorts.ts"
import type { Prepared } from "./calls.ts"

const finalize = Effect.fnUntraced(function* ({ build, reservation }: Reserved, at: number) {
  const next = onFinalize(build, reservation, { now: instant(at), hostedPrefix: `hosted/${reservation.id}/a/` })
  yield* (yield* BuildStore).commitFinalize(next)
  return next
})

/** Stores an item for each rule of a sweep. All of them can be deleted from the samples' `instant(-2)` on. */
const newEnded = Effect.fnUntraced(function* (home: Home) {
  const { account } = home
  const [before, end, later] = [instant(-10), instant(-2), 900_100]
  yield* newBuild(home, { reservation: { expiresAt: end } })
  // With an id behind that of the build's first reservation.
  const again = Effect.fnUntraced(function* (build: Build, expiresAt: DateTime.Utc) {
    const change = reserveAgain(home, build, { id: ReservationId.make(idAt(2)), expiresAt })
    yield* (yield* BuildStore).commitReserve(change)
    return change
  })
  yield* again((yield* finalize(yield* newBuild(home), 0)).build, end)
  yield* finalize(yield* again((yield* finalize(yield* newBuild(home), -3)).build, instant(later)), -2)
  // Of two ready builds of a branch, the one that was reserved first.
  for (const at of [5, 6]) {
    const reservation = { id: ReservationId.make(idAt(at)), expiresAt: end }
    yield* finalize(yield* newBuild(home, { build: { branch: "swept" }, reservation }), -2)
  }
  yield* newPreview(account, -2)
  const ready = yield* newPreview(account, later, -2)
  yield* newRun(home.repository, ready, { createdAt: instant(-2) })
  // Its run was registered later, and is not due.
  yield* registered(makeRun(home.repository, ready, { startedAt: end, source: "ci:over" }))
  const once = makeOnce(account, { expiresAt: end }, before)
  yield* (yield* PreviewStore).commitReserve({ preview: makePreview(account), once })
  const session = makeSession(yield* newKey(account), { expiresAt: end })
  yield* (yield* SessionStore).begin({ session, now: before })
  yield* (yield* ShareLinkStore).insert(makeShareLink(account, { expiresAt: end }))
  const key = makeKey(account, { createdAt: before, expiresAt: end })
  yield* (yield* TrustStore).exchange({ tokenHash: "a token that is over", endsAt: end, now: before, key })
})

/** The calls of sweeps, to be made once and in order. */
export const sweepCalls = Effect.fnUntraced(function* ({ account, home, repository }: Prepared) {
  const sweeps = yield* SweepStore
  // Only one item of each rule ended this early, so that the answers don't depend on the order of random ids.
  const until = instant(-1)
  yield* newEnded(home)
  const selections: ReadonlyArray<ExpirySelection> = [
    ...EndedRule.literals.map((rule) => ({ rule, until })),
    ...(["runs", "previews", "histories", "ci_runs", "billed"] as const).map((rule) => ({
      rule,
      account: account.id,
      until
    })),
    { rule: "builds", account: account.id, now: until, until, keep: 1 }
  ]
  // Of two repositories, either may have the lower id.
  const after = JSON.stringify({ repository: repository.id })
  const swept: Record<string, Effect.Effect<unknown, unknown>> = Object.fromEntries(
    selections.flatMap((selection) => {
      let page: DuePage = { due: [] }
      const due = sweeps.due(selection, { limit: 10, ...(selection.rule === "builds" ? { after } : {}) })
      const take = Effect.suspend(() =>
        sweeps.expire(
          selection,
          page.due.map(({ id }) => ({ id, removals: [makeRemoval(account)] }))
        )
      )
      return [
        [`SweepStore.due, ${selection.rule}`, Effect.map(due, (found) => (page = found))],
        [`SweepStore.expire, ${selection.rule}`, take]
      ]
    })
  )
  return swept
})

/** The calls that erase an account of their own, to be made once and in order. */
export const erasureCalls = Effect.gen(function* () {
  const erasures = yield* ErasureStore
  const erasing = yield* newHome
  const erasedKey = makeKey(erasing.account)
  yield* (yield* KeyStore).insert(erasedKey)
  yield* newBuild(erasing)
  yield* (yield* PreviewStore).commitReserve({ preview: makePreview(erasing.account) })
  const erasure = {
    nameHash: "a name",
    at: instant(100),
    settledAt: instant(200),
    actor: { administrator: "command line" },
    gone: {}
  }
  const takeErased = (uploads: Parameters<typeof erasures.eraseStep>[0]["uploads"], now: number) =>
    erasures.eraseStep({ account: erasing.account.id, now: instant(now), uploads, limit: 100 })

  return {
    "ErasureStore.list": erasures.list,
    "ErasureStore.begin": erasures.begin(erasing.account.id, erasure),
    "ErasureStore.uploads": erasures.uploads({ account: erasing.account.id, limit: 10 }),
    "ErasureStore.eraseStep, uploads": Effect.flatMap(
      erasures.uploads({ account: erasing.account.id, limit: 10 }),
      (uploads) =>
        takeErased(
          uploads.map((upload) => ({ ...upload, removals: [makeRemoval(erasing.account)] })),
          200
        )
    ),
    "ErasureStore.eraseStep": takeErased([], 100),
    "ErasureStore.eraseStep, the account": takeErased([], 200)
  } satisfies Record<string, Effect.Effect<unknown, unknown>>
})
