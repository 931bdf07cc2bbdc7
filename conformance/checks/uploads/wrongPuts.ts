import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Declared, Slot } from "../../dialect/Dialect.ts"
import type { Content } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { isRefused, mustAnswer } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { bundleSlot } from "./Flow.ts"
import type { Flow } from "./Flow.ts"

/** A PUT of something else than was declared. */
export interface WrongPut {
  readonly name: string
  /** Completes "A PUT …". */
  readonly text: string
  readonly sizeBytes: number
  readonly sent: (slot: Slot, content: (label: string, sizeBytes: number) => Content) => Declared
}

const ofOtherContent = (name: string, text: string, sizeBytes: number): WrongPut => ({
  name,
  text,
  sizeBytes,
  sent: ({ contentType }, content) => ({ contentType, content: content(name, sizeBytes) })
})

/** What shows in the headers of the PUT. */
export const misfits: ReadonlyArray<WrongPut> = [
  ofOtherContent("shorter", "of one byte less than was declared", bundleSizeBytes - 1),
  ofOtherContent("longer", "of one byte more than was declared", bundleSizeBytes + 1),
  {
    name: "other-type",
    text: "with another content type than the slot's",
    sizeBytes: bundleSizeBytes,
    sent: ({ content }) => ({ content, contentType: "text/html" })
  }
]

const otherBytes = ofOtherContent("other-bytes", "of as many other bytes as were declared", bundleSizeBytes)

const wrongPut = ({ finalize, profile, reserve }: Flow, { name, sent, sizeBytes, text }: WrongPut): Check => ({
  id: `${profile}.put.${name}`,
  profile,
  title: `A PUT ${text} is refused, or the finalize after it is.`,
  cost: { requests: 3, bytes: sizeBytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const session = yield* Session
    const reserved = yield* reserve
    const slot = yield* bundleSlot(reserved)
    const put = yield* dialect.put(slot, sent(slot, session.content))
    yield* session.observe(`${profile}.put.${name}.status`, put.status)
    if (isRefused(put)) return
    yield* mustAnswer(put, `A PUT ${text}, unless it is refused with 4xx,`)
    const finalized = yield* finalize(reserved)
    yield* must(
      isRefused(finalized),
      `A PUT ${text} is refused with 4xx, or the finalize after it is.`,
      `The PUT answered ${put.status} and the finalize ${finalized.status}.`
    )
  })
})

export const wrongPutChecks = (flow: Flow): ReadonlyArray<Check> =>
  [...misfits, otherBytes].map((wrong) => wrongPut(flow, wrong))
