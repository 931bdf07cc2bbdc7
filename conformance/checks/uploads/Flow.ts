import { Effect } from "effect"
import { Dialect, type Reserved, type Slot } from "../../dialect/Dialect.ts"
import { must, Violation } from "../../dialect/Violation.ts"
import type { Answer, Credential } from "../../session/Exchange.ts"
import type { NoAnswer, Session } from "../../session/Session.ts"
import { mustShow, queryOf, readLatest, visible } from "../steps/builds.ts"
import { settled } from "../steps/eventually.ts"
import { unusual } from "../steps/inputs.ts"
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

/** What is uploaded: a bundle alone, or also files and other values. */
type Kind = "usual" | "unusual"

/** Reserve, upload and finalize, as a build or as a preview. */
export interface Flow {
  readonly profile: "builds" | "previews"
  readonly reserve: (kind?: Kind) => Step<Reserved>
  readonly finalize: (reserved: Reserved, as?: Credential) => Step<Answer, NoAnswer>
  /** Requires what the finalize of a complete upload answers. */
  readonly finalized: (answer: Answer) => Step<unknown>
  /** Reserves and uploads. `mustWait` requires that it still reads as it did before any finalize. */
  readonly uploaded: (kind?: Kind) => Step<{ readonly reserved: Reserved; readonly mustWait: Step<void> }>
  /** Reserves, uploads and finalizes. `mustStay` requires that it still reads as it did then; `what` is what was done. */
  readonly ready: (
    kind?: Kind
  ) => Step<{ readonly reserved: Reserved; readonly mustStay: (what: string) => Step<void> }>
  /** An unusual upload that account b has finalized. */
  readonly readyOfB: Step<Reserved>
}

const overrides = (kind: Kind = "usual") => (kind === "usual" ? Effect.succeed({}) : unusual("upload"))

export const buildFlow: Flow = {
  profile: "builds",
  reserve: Effect.fnUntraced(function* (kind) {
    return (yield* reserveBuild("upload", yield* overrides(kind))).reserved
  }),
  finalize: ({ token }, as = { account: "a", key: "all" }) =>
    Dialect.use((dialect) => dialect.finalizeBuild(token, as)),
  finalized: readyRow,
  uploaded: (kind) => Effect.flatMap(overrides(kind), (some) => uploadedBuild("upload", some)),
  ready: Effect.fnUntraced(function* (kind) {
    const { input, reserved } = yield* readyBuild("upload", yield* overrides(kind))
    const latest = readLatest(queryOf(input))
    const before = yield* settled(visible(latest))
    yield* must(before.found, "A ready build is read as the latest of its branch.", "It was not found.")
    return { reserved, mustStay: (what) => mustShow(latest, before, `${what} leaves the build as it was.`) }
  }),
  readyOfB: Effect.gen(function* () {
    return (yield* readyBuild("upload", { ...(yield* unusual("upload")), account: "b" })).reserved
  })
}

export const previewFlow: Flow = {
  profile: "previews",
  reserve: Effect.fnUntraced(function* (kind) {
    return (yield* reservePreview("upload", yield* overrides(kind))).reserved
  }),
  finalize: finalizePreview,
  finalized: hostedRow,
  uploaded: Effect.fnUntraced(function* (kind) {
    const { reserved, shareId } = yield* uploadedPreview("upload", yield* overrides(kind))
    const before = yield* standing(shareId)
    return { reserved, mustWait: mustStillWait(shareId, before, finalizePreview(reserved)) }
  }),
  ready: Effect.fnUntraced(function* (kind) {
    const { reserved, shareId } = yield* hostedPreview("upload", yield* overrides(kind))
    const before = yield* standing(shareId)
    const mustStay = Effect.fnUntraced(function* (what: string) {
      const now = yield* standing(shareId)
      yield* must(now === before, `${what} leaves the hosted preview as it was.`, "Its metadata changed.")
    })
    return { reserved, mustStay }
  }),
  readyOfB: Effect.gen(function* () {
    return (yield* hostedPreview("upload", { ...(yield* unusual("upload")), account: "b" })).reserved
  })
}

/** The slot of the bundle. */
export const bundleSlot = ({ slots: [slot] }: Reserved): Effect.Effect<Slot, Violation> =>
  slot === undefined
    ? new Violation({ expected: "The reservation has a slot for the bundle.", came: "It had none." })
    : Effect.succeed(slot)
