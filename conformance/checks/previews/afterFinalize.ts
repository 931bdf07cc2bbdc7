import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { finalizePreview, hostedPreview, standing } from "../steps/previews.ts"

/** Whatever is done to a hosted preview, it stands as it stood. */
const mustStay = Effect.fnUntraced(function* (shareId: string, before: string, what: string) {
  yield* must(
    (yield* standing(shareId)) === before,
    `${what} leaves a hosted preview as it was.`,
    "Its metadata read otherwise."
  )
})

const again: Check = {
  id: "previews.finalize.again",
  profile: "previews",
  title: "A second finalize with the same token leaves the hosted preview as it is.",
  cost: { requests: 6, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { observe } = yield* Session
    const { reserved, shareId } = yield* hostedPreview("preview")
    const before = yield* standing(shareId)
    const { status } = yield* finalizePreview(reserved)
    yield* observe("previews.finalize.again.status", status)
    yield* mustStay(shareId, before, "A second finalize")
  })
}

const putAgain: Check = {
  id: "previews.put.after-finalize",
  profile: "previews",
  title: "A PUT after finalize leaves the hosted preview as it is.",
  cost: { requests: 6, bytes: 2 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const { content, observe } = yield* Session
    const { reserved, shareId } = yield* hostedPreview("preview")
    const before = yield* standing(shareId)
    for (const slot of reserved.slots) {
      const { status } = yield* dialect.put(slot, { ...slot, content: content("late", bundleSizeBytes) })
      yield* observe("previews.put.after-finalize.status", status)
    }
    yield* mustStay(shareId, before, "A PUT after finalize")
  })
}

export const afterFinalizeChecks: ReadonlyArray<Check> = [again, putAgain]
