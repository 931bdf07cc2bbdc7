import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Reserved, Slot } from "../../dialect/Dialect.ts"
import type { Answer } from "../../session/Exchange.ts"
import type { NoAnswer, Session } from "../../session/Session.ts"
import { Violation } from "../../dialect/Violation.ts"
import { a } from "../steps/credentials.ts"
import { reserveBuild } from "../steps/reserveBuild.ts"
import { reservePreview } from "../steps/reservePreview.ts"

/** Reserve and finalize of a bundle and nothing else, as a build or as a preview. */
export interface Flow {
  readonly profile: "builds" | "previews"
  readonly reserve: Effect.Effect<Reserved, Violation | NoAnswer, Session | Dialect>
  readonly finalize: (reserved: Reserved) => Effect.Effect<Answer, NoAnswer, Dialect>
}

export const buildFlow: Flow = {
  profile: "builds",
  reserve: Effect.map(reserveBuild("upload"), ({ reserved }) => reserved),
  finalize: ({ token }) => Dialect.use((dialect) => dialect.finalizeBuild(token, a))
}

export const previewFlow: Flow = {
  profile: "previews",
  reserve: Effect.map(reservePreview("upload"), ({ reserved }) => reserved),
  finalize: (reserved) => Dialect.use((dialect) => dialect.finalizePreview(reserved, a))
}

/** The slot of the bundle. */
export const bundleSlot = ({ slots: [slot] }: Reserved): Effect.Effect<Slot, Violation> =>
  slot === undefined
    ? new Violation({ expected: "The reservation has a slot for the bundle.", came: "It had none." })
    : Effect.succeed(slot)
