import { Dialect, type Declared, type Slot } from "../../dialect/Dialect.ts"
import { must } from "../../dialect/Violation.ts"
import type { Content } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { answered2xx, isRefused, mustAnswer } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { bundleSlot, type Flow } from "./Flow.ts"

/** A PUT of something else than was declared. */
interface WrongPut {
  readonly name: string
  /** Completes "A PUT …". */
  readonly text: string
  readonly sizeBytes: number
  readonly sent: (slot: Slot, content: (label: string, sizeBytes: number, contentType: string) => Content) => Declared
}

const ofOtherContent = (name: string, text: string, sizeBytes: number): WrongPut => ({
  name,
  text,
  sizeBytes,
  sent: ({ contentType }, content) => ({ contentType, content: content(name, sizeBytes, contentType) })
})

/** The PUTs whose headers already show that they are wrong. */
const mismatches: ReadonlyArray<WrongPut> = [
  ofOtherContent("shorter", "of one byte less than was declared", bundleSizeBytes - 1),
  ofOtherContent("empty", "of no bytes", 0),
  ofOtherContent("longer", "of one byte more than was declared", bundleSizeBytes + 1),
  {
    name: "other-type",
    text: "with another content type than the slot's",
    sizeBytes: bundleSizeBytes,
    sent: ({ content }) => ({ content, contentType: "text/html" })
  }
]

const otherBytes = ofOtherContent("other-bytes", "of as many other bytes as were declared", bundleSizeBytes)

const wrongPut = ({ finalize, profile, reserve }: Flow, { name, sent, sizeBytes, text }: WrongPut): CheckTable => ({
  [`${profile}.put.${name}`]: {
    title: `A PUT ${text} is refused, or the finalize after it is.`,
    cost: { requests: 3, bytes: sizeBytes },
    *run() {
      const dialect = yield* Dialect
      const session = yield* Session
      const reserved = yield* reserve()
      const slot = yield* bundleSlot(reserved)
      const put = yield* dialect.put(slot, sent(slot, session.content))
      yield* session.observe(`${profile}.put.${name}.status`, put.status)
      if (isRefused(put)) return
      yield* mustAnswer(put, `A PUT ${text}, unless it is refused with 4xx,`)
      const finalized = yield* finalize(reserved)
      yield* must(
        isRefused(finalized),
        `A PUT ${text} is refused with 4xx, or the finalize after it is.`,
        `The PUT returned ${put.status} and the finalize ${finalized.status}.`
      )
    }
  }
})

/** The bytes of a PUT must be exactly the declared ones. */
export const wrongPutChecks = (flow: Flow): CheckTable =>
  Object.fromEntries([...mismatches, otherBytes].flatMap((wrong) => Object.entries(wrongPut(flow, wrong))))

/** A slot must accept the right PUT after it refused a wrong one. */
export const rightAfterWrongChecks = ({ finalize, profile, reserve }: Flow): CheckTable => ({
  [`${profile}.put.right-after-wrong`]: {
    title: "A slot that refused a PUT accepts the declared bytes afterwards, and what accepts them finalizes them.",
    cost: { requests: 8, bytes: 4 * bundleSizeBytes + bundleSizeBytes },
    *run() {
      const dialect = yield* Dialect
      const session = yield* Session
      const reserved = yield* reserve()
      const slot = yield* bundleSlot(reserved)
      let isClean = true
      for (const { sent } of [...mismatches, otherBytes]) {
        if (!isRefused(yield* dialect.put(slot, sent(slot, session.content)))) isClean = false
      }
      const right = yield* dialect.put(slot, slot)
      // A slot that accepted a wrong PUT may refuse the next one; the checks of wrong PUTs report that.
      if (!isClean && !answered2xx(right)) return
      yield* mustAnswer(right, "A PUT of the declared bytes after refused ones")
      yield* mustAnswer(yield* finalize(reserved), "The finalize after refused PUTs and an accepted one")
    }
  }
})
