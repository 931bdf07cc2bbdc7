import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Slot } from "../../dialect/Dialect.ts"
import type { Content, Tamper } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { canTamper } from "../../session/tamper.ts"
import { Skipped } from "../steps/Check.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { refuses } from "../steps/refuses.ts"
import { bundleSlot } from "./Flow.ts"
import type { Flow } from "./Flow.ts"

interface Alteration {
  readonly tamper: Tamper
  /** Completes "A PUT to a URL …". */
  readonly text: string
  /** What is PUT: the very thing that the altered URL seems to allow. */
  readonly sent: (
    slot: Slot,
    content: (label: string, sizeBytes: number) => Content
  ) => { readonly contentType: string; readonly content: Content }
}

/** What the session adds to the length that a URL says, in bytes. */
export const lengthened = 3600

/** The content type that the session lets a URL say. */
export const otherType = "text/html"

const asDeclared: Alteration["sent"] = ({ content, contentType }) => ({ content, contentType })

const alterations: ReadonlyArray<Alteration> = [
  { tamper: "signature", text: "with another signature", sent: asDeclared },
  { tamper: "key", text: "with the key of another object", sent: asDeclared },
  { tamper: "expiry", text: "with a later end", sent: asDeclared },
  {
    tamper: "type",
    text: "with another content type",
    sent: ({ content }) => ({ content, contentType: otherType })
  },
  {
    tamper: "length",
    text: "with another length",
    sent: ({ contentType }, content) => ({ contentType, content: content("longer", bundleSizeBytes + lengthened) })
  }
]

const alteredUrl = ({ profile, reserve }: Flow, { sent, tamper, text }: Alteration): Check => ({
  id: `${profile}.put.altered-${tamper}`,
  profile,
  title: `A PUT to a URL ${text} than it was given is refused.`,
  cost: { requests: 2, bytes: bundleSizeBytes + (tamper === "length" ? lengthened : 0) },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const session = yield* Session
    const slot = yield* bundleSlot(yield* reserve)
    if (!canTamper(slot.putUrl, tamper)) {
      return yield* new Skipped({ reason: `The URL has no parameter that says its ${tamper}.` })
    }
    const attempt = dialect.put(slot, { ...sent(slot, session.content), tamper })
    yield* refuses(attempt, `A PUT to a URL ${text}`, `${profile}.put.altered-${tamper}`)
  })
})

export const alteredUrlChecks = (flow: Flow): ReadonlyArray<Check> =>
  alterations.map((alteration) => alteredUrl(flow, alteration))
