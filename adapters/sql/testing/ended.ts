import { Effect, type DateTime } from "effect"
import type { Build } from "../../../core/model/Build.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { onFinalize } from "../../../core/rules/builds.ts"
import { newBuild, reserveAgain, type Home } from "../../kit/parts/buildPorts.ts"
import {
  idAt,
  instant,
  makeKey,
  makeOnce,
  makePreview,
  makeRun,
  makeSession,
  makeShareLink
} from "../../kit/parts/samples.ts"
import { registered } from "../../kit/parts/histories.ts"
import { newKey, newRun } from "../../kit/parts/stored.ts"
import { newPreview, type Reserved } from "../../kit/parts/sweepPorts.ts"

const finalize = Effect.fnUntraced(function* ({ build, reservation }: Reserved, at: number) {
  const next = onFinalize(build, reservation, { now: instant(at), hostedPrefix: `hosted/${reservation.id}/a/` })
  yield* (yield* BuildStore).commitFinalize(next)
  return next
})

/** Stores an item for each rule of a sweep. All of them can be deleted from the samples' `instant(-2)` on. */
export const newEnded = Effect.fnUntraced(function* (home: Home) {
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
