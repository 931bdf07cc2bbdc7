import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { b } from "../steps/accounts.ts"
import { isRefused, mustAnswer, refuses } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import type { Flow } from "./Flow.ts"

const nouns = {
  builds: { one: "build", ready: "ready build" },
  previews: { one: "preview", ready: "hosted preview" }
} as const

/** Only the account that reserved may finalize. */
export const foreignFinalizeChecks = ({ finalize, profile, uploaded }: Flow): CheckTable => ({
  [`${profile}.finalize.foreign-account`]: {
    title: `A ${nouns[profile].one} finalized by another account's key is refused and stays as it was.`,
    cost: { requests: 5, bytes: bundleSizeBytes },
    *run() {
      const { mustWait, reserved } = yield* uploaded
      const what = "A finalize by another account than the one that reserved"
      yield* refuses(finalize(reserved, b), what, `${profile}.finalize.foreign-account`)
      yield* mustWait
    }
  },
  [`${profile}.finalize.after-foreign`]: {
    title: `A ${nouns[profile].one} that another account tried to finalize is finalized by its own account afterwards.`,
    cost: { requests: 5, bytes: bundleSizeBytes },
    *run() {
      const { reserved } = yield* uploaded
      // The check above reports a finalize that isn't refused.
      if (!isRefused(yield* finalize(reserved, b))) return
      yield* mustAnswer(yield* finalize(reserved), "The finalize after another account's that was refused")
    }
  }
})

/** Nothing may change what is finalized already. */
export const afterFinalizeChecks = ({ finalize, profile, ready }: Flow): CheckTable => ({
  [`${profile}.finalize.again`]: {
    title: `A second finalize with the same token leaves the ${nouns[profile].ready} as it is.`,
    cost: { requests: 6, bytes: bundleSizeBytes },
    *run() {
      const session = yield* Session
      const { mustStay, reserved } = yield* ready
      const { status } = yield* finalize(reserved)
      yield* session.observe(`${profile}.finalize.again.status`, status)
      yield* mustStay("A second finalize")
    }
  },
  [`${profile}.put.after-finalize`]: {
    title: `A PUT after finalize leaves the ${nouns[profile].ready} as it is.`,
    cost: { requests: 6, bytes: 2 * bundleSizeBytes },
    *run() {
      const dialect = yield* Dialect
      const session = yield* Session
      const { mustStay, reserved } = yield* ready
      for (const slot of reserved.slots) {
        const late = { ...slot, content: session.content("late", bundleSizeBytes, slot.contentType) }
        const { status } = yield* dialect.put(slot, late)
        yield* session.observe(`${profile}.put.after-finalize.status`, status)
      }
      yield* mustStay("A PUT after finalize")
    }
  }
})
