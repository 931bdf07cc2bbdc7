import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import { queryOf, readLatest, visible } from "./builds.ts"
import { settled } from "./eventually.ts"
import { reserveBuild } from "./reserveBuild.ts"
import { uploadAll } from "./uploadAll.ts"

/**
 * Reserves and uploads a build that a finalize would make ready, and tells how its branch is read before that, which is
 * silent.
 */
export const uploadedBuild = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  const reservation = yield* reserveBuild(label)
  yield* uploadAll(reservation.reserved)
  const latest = readLatest(queryOf(reservation.input))
  const before = yield* settled(visible(latest))
  yield* session.observe("builds.latest.before-finalize", { found: before.found, hasPreviewUrl: before.hasPreviewUrl })
  return { ...reservation, latest, before }
})
