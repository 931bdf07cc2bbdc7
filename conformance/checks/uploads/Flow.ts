import { Effect } from "effect"
import { Dialect, type Reserved, type Slot } from "../../dialect/Dialect.ts"
import { must, Violation } from "../../dialect/Violation.ts"
import type { Answer, Credential } from "../../session/Exchange.ts"
import type { NoAnswer, Session } from "../../session/Session.ts"
import { mustShow, queryOf, readLatest, visible } from "../steps/builds.ts"
import { settled } from "../steps/eventually.ts"
import { readyBuild, readyRow, reserveBuild, uploadedBuild } from "../steps/makeBuilds.ts"
import {
  finalizePreview,
  hostedPreview,
  hostedRow,
  mustStillWait,
  reservePreview,
  standing,
  uploadedPreview
} from "../steps/previews.ts"

type Step<A, E = Violation | NoAnswer> = Effect.Effect<A, E, Session | Dialect>

/** Reserve, upload and finalize of a bundle and no other object, as a build or as a preview. */
export interface Flow {
  readonly profile: "builds" | "previews"
  readonly reserve: Step<Reserved>
  readonly finalize: (reserved: Reserved, as?: Credential) => Step<Answer, NoAnswer>
  /** Requires what the finalize of a complete upload answers. */
  readonly finalized: (answer: Answer) => Step<unknown>
  /** Reserves and uploads. `mustWait` requires that it still reads as it did before any finalize. */
  readonly uploaded: Step<{ readonly reserved: Reserved; readonly mustWait: Step<void> }>
  /** Reserves, uploads and finalizes. `mustStay` requires that it still reads as it did then; `what` is what was done. */
  readonly ready: Step<{ readonly reserved: Reserved; readonly mustStay: (what: string) => Step<void> }>
}

export const buildFlow: Flow = {
  profile: "builds",
  reserve: Effect.map(reserveBuild("upload"), ({ reserved }) => reserved),
  finalize: ({ token }, as = { account: "a", key: "all" }) =>
    Dialect.use((dialect) => dialect.finalizeBuild(token, as)),
  finalized: readyRow,
  uploaded: uploadedBuild("upload"),
  ready: Effect.gen(function* () {
    const { input, reserved } = yield* readyBuild("upload")
    const latest = readLatest(queryOf(input))
    const before = yield* settled(visible(latest))
    yield* must(before.found, "A ready build is read as the latest of its branch.", "It was not found.")
    return { reserved, mustStay: (what) => mustShow(latest, before, `${what} leaves the build as it was.`) }
  })
}

export const previewFlow: Flow = {
  profile: "previews",
  reserve: Effect.map(reservePreview("upload"), ({ reserved }) => reserved),
  finalize: finalizePreview,
  finalized: hostedRow,
  uploaded: Effect.gen(function* () {
    const { reserved, shareId } = yield* uploadedPreview("upload")
    const before = yield* standing(shareId)
    return { reserved, mustWait: mustStillWait(shareId, before, finalizePreview(reserved)) }
  }),
  ready: Effect.gen(function* () {
    const { reserved, shareId } = yield* hostedPreview("upload")
    const before = yield* standing(shareId)
    const mustStay = Effect.fnUntraced(function* (what: string) {
      const now = yield* standing(shareId)
      yield* must(now === before, `${what} leaves the hosted preview as it was.`, "Its metadata changed.")
    })
    return { reserved, mustStay }
  })
}

/** The slot of the bundle. */
export const bundleSlot = ({ slots: [slot] }: Reserved): Effect.Effect<Slot, Violation> =>
  slot === undefined
    ? new Violation({ expected: "The reservation has a slot for the bundle.", came: "It had none." })
    : Effect.succeed(slot)
