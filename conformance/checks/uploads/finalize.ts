import { Dialect } from "../../dialect/Dialect.ts"
import { testedBy } from "../../dialect/Violation.ts"
import type { KeyName } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a, b, keyOf } from "../steps/accounts.ts"
import { isRefused, mustAnswer, refuses } from "../steps/answers.ts"
import { bundleSizeBytes, unusualCost } from "../steps/inputs.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import type { Flow } from "./Flow.ts"

const nouns = {
  builds: { one: "build", ready: "ready build" },
  previews: { one: "preview", ready: "hosted preview" }
} as const

/** The cost of a check that uploads what is unusual. */
const more = (profile: Flow["profile"], requests: number, bytes: number) => ({
  requests: requests + unusualCost[profile].requests,
  bytes: bytes + unusualCost[profile].bytes
})

const foreign = "A finalize by another account than the one that reserved"

/** Only the account that reserved may finalize. */
export const foreignFinalizeChecks = ({ finalize, finalized, profile, readyOfB, uploaded }: Flow): CheckTable => ({
  [`${profile}.finalize.foreign-account`]: {
    title: `A ${nouns[profile].one} finalized by another account's key is refused and stays as it was.`,
    cost: { requests: 5, bytes: bundleSizeBytes },
    *run() {
      const { mustWait, reserved } = yield* uploaded()
      yield* refuses(finalize(reserved, b), foreign, `${profile}.finalize.foreign-account`)
      yield* mustWait
    }
  },
  [`${profile}.finalize.after-foreign`]: {
    title: `A ${nouns[profile].one} that another account tried to finalize is finalized by its own account afterwards.`,
    cost: more(profile, 6, bundleSizeBytes),
    *run() {
      const { reserved } = yield* uploaded("unusual")
      for (const time of ["first", "second"]) {
        const attempt = refuses(finalize(reserved, b), foreign, `${profile}.finalize.after-foreign.${time}`)
        yield* testedBy(`${profile}.finalize.foreign-account`)(attempt)
      }
      const answer = yield* finalize(reserved)
      yield* mustAnswer(answer, "The finalize after another account's that was refused")
      yield* finalized(answer)
    }
  },
  [`${profile}.finalize.foreign-again`]: {
    title: `A finalize by another account is refused after the ${nouns[profile].one}'s own account finalized it.`,
    cost: more(profile, 4, bundleSizeBytes),
    *run() {
      const reserved = yield* readyOfB
      const what = "A finalize by another account after that of the one that reserved"
      yield* refuses(finalize(reserved, a), what, `${profile}.finalize.foreign-again`)
    }
  }
})

/** A token finalizes only where its kind of upload is finalized, and again after it was refused too early. */
export const tokenChecks = (
  { finalize, finalized, profile, reserve, uploaded }: Flow,
  other: Flow,
  scoped: KeyName
): CheckTable => ({
  [`${profile}.finalize.elsewhere`]: {
    title: `The token of a ${nouns[profile].one} is refused at the finalize of ${other.profile}.`,
    cost: more(profile, 6, bundleSizeBytes),
    *run() {
      const { mustWait, reserved } = yield* uploaded("unusual")
      const what = `The token of a ${nouns[profile].one} at the finalize of ${other.profile}`
      const token = { ...reserved, shareId: reserved.shareId ?? reserved.token }
      for (const as of [a, keyOf("a", scoped)]) {
        yield* refuses(other.finalize(token, as), what, `${profile}.finalize.elsewhere`)
      }
      yield* mustWait
    }
  },
  [`${profile}.finalize.early`]: {
    title: `A finalize that is refused before the upload is complete leaves the token good for the complete one.`,
    cost: more(profile, 4, bundleSizeBytes),
    *run() {
      const reserved = yield* reserve("unusual")
      // Whether it is refused, other checks tell.
      if (!isRefused(yield* finalize(reserved))) return
      yield* uploadAll(reserved)
      const answer = yield* finalize(reserved)
      yield* mustAnswer(answer, "The finalize after one that was too early")
      yield* finalized(answer)
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
      const { mustStay, reserved } = yield* ready()
      const { status } = yield* finalize(reserved)
      yield* session.observe(`${profile}.finalize.again.status`, status)
      yield* mustStay("A second finalize")
    }
  },
  [`${profile}.put.after-finalize`]: {
    title: `A PUT after finalize leaves the ${nouns[profile].ready} as it is.`,
    // Each of the other slots gets a late PUT as well.
    cost: more(profile, 6 + unusualCost[profile].requests, 2 * bundleSizeBytes + unusualCost[profile].bytes),
    *run() {
      const dialect = yield* Dialect
      const session = yield* Session
      const { mustStay, reserved } = yield* ready("unusual")
      for (const [place, slot] of reserved.slots.entries()) {
        const late = { ...slot, content: session.content("late", slot.content.bytes.byteLength, slot.contentType) }
        const { status } = yield* dialect.put(slot, late)
        if (place === 0) yield* session.observe(`${profile}.put.after-finalize.status`, status)
      }
      yield* mustStay("A PUT after finalize")
    }
  }
})
