import { Dialect, type Slot } from "../../dialect/Dialect.ts"
import type { Content, Tamper } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { canTamper } from "../../session/tamper.ts"
import { Skipped, type CheckTable } from "../steps/Check.ts"
import { refuses } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import { bundleSlot, type Flow } from "./Flow.ts"

/** A URL that was signed for PUT must be refused with every other method. */
const otherMethod = ({ profile, reserve }: Flow, method: "GET" | "POST" | "DELETE"): CheckTable => ({
  [`${profile}.put.as-${method.toLowerCase()}`]: {
    title: `A ${method} of a URL that was signed for PUT is refused.`,
    cost: { requests: method === "POST" ? 2 : 3, bytes: bundleSizeBytes },
    *run() {
      const { exchange } = yield* Session
      const reserved = yield* reserve()
      const slot = yield* bundleSlot(reserved)
      // Uploaded first, so that there is an object to get and to delete. A POST may store what a slot takes only once.
      if (method !== "POST") yield* uploadAll(reserved)
      const attempt = exchange({
        method,
        url: slot.putUrl,
        as: "none",
        headers: { "content-type": slot.contentType },
        ...(method === "POST" ? { content: slot.content } : {})
      })
      const what = `A ${method} of a URL that was signed for PUT`
      yield* refuses(attempt, what, `${profile}.put.as-${method.toLowerCase()}`)
    }
  }
})

interface Alteration {
  /** Completes "A PUT to a URL …". */
  readonly text: string
  /** What is PUT: exactly what the altered URL seems to allow. */
  readonly sent: (
    slot: Slot,
    content: (label: string, sizeBytes: number, contentType: string) => Content
  ) => { readonly contentType: string; readonly content: Content }
}

/** How many bytes the session adds to the length in a URL. */
export const lengthened = 3600

/** The content type that the session writes into a URL. */
export const otherType = "text/html"

const asDeclared: Alteration["sent"] = ({ content, contentType }) => ({ content, contentType })

const alterations: Readonly<Record<Tamper, Alteration>> = {
  signature: { text: "with another signature", sent: asDeclared },
  key: { text: "with the key of another object", sent: asDeclared },
  expiry: { text: "with a later end", sent: asDeclared },
  type: { text: "with another content type", sent: ({ content }) => ({ content, contentType: otherType }) },
  length: {
    text: "with another length",
    sent: ({ contentType }, content) => ({
      contentType,
      content: content("longer", bundleSizeBytes + lengthened, contentType)
    })
  }
}

const alteredUrl = ({ profile, reserve }: Flow, tamper: Tamper): CheckTable => ({
  [`${profile}.put.altered-${tamper}`]: {
    title: `A PUT to a URL ${alterations[tamper].text} than it was given is refused.`,
    cost: { requests: 2, bytes: bundleSizeBytes + (tamper === "length" ? lengthened : 0) },
    *run() {
      const dialect = yield* Dialect
      const session = yield* Session
      const slot = yield* bundleSlot(yield* reserve())
      if (!canTamper(slot.putUrl, tamper, session.config.bindings.uploadUrl)) {
        return yield* new Skipped({
          reason: `The URL has no known parameter for its ${tamper}; name one of another name in \`bindings.uploadUrl.${tamper}\`.`
        })
      }
      const { sent, text } = alterations[tamper]
      const attempt = dialect.put(slot, { ...sent(slot, session.content), tamper })
      yield* refuses(attempt, `A PUT to a URL ${text}`, `${profile}.put.altered-${tamper}`)
    }
  }
})

/** A presigned URL must accept only the PUT that it was signed for. */
export const signedUrlChecks = (flow: Flow): CheckTable => ({
  ...otherMethod(flow, "GET"),
  ...otherMethod(flow, "POST"),
  ...otherMethod(flow, "DELETE"),
  ...alteredUrl(flow, "signature"),
  ...alteredUrl(flow, "key"),
  ...alteredUrl(flow, "expiry"),
  ...alteredUrl(flow, "type"),
  ...alteredUrl(flow, "length"),
  [`${flow.profile}.put.unsigned`]: {
    title: "A PUT to a presigned URL without its query, and so without a signature, is refused.",
    cost: { requests: 2, bytes: bundleSizeBytes },
    *run() {
      const dialect = yield* Dialect
      const { putUrl, ...sent } = yield* bundleSlot(yield* flow.reserve())
      const [place = putUrl, query] = putUrl.split("?")
      // A URL that is signed in its path has no query to leave out.
      if (query === undefined) return
      yield* refuses(dialect.put({ putUrl: place }, sent), "A PUT without a signature", `${flow.profile}.put.unsigned`)
    }
  }
})
