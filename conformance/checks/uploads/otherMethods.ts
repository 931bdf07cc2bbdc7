import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { refuses } from "../steps/refuses.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import { bundleSlot } from "./Flow.ts"
import type { Flow } from "./Flow.ts"

const otherMethod = ({ profile, reserve }: Flow, method: "GET" | "POST" | "DELETE"): Check => ({
  id: `${profile}.put.as-${method.toLowerCase()}`,
  profile,
  title: `A ${method} of a URL that was signed for PUT is refused.`,
  cost: { requests: 3, bytes: (method === "POST" ? 2 : 1) * bundleSizeBytes },
  run: Effect.gen(function* () {
    const { exchange } = yield* Session
    const reserved = yield* reserve
    const slot = yield* bundleSlot(reserved)
    // There is something to get, to replace and to delete.
    yield* uploadAll(reserved)
    const attempt = exchange({
      method,
      url: slot.putUrl,
      as: "none",
      headers: { "content-type": slot.contentType },
      ...(method === "POST" ? { content: slot.content } : {})
    })
    yield* refuses(attempt, `A ${method} of a URL that was signed for PUT`, `${profile}.put.as-${method.toLowerCase()}`)
  })
})

export const otherMethodChecks = (flow: Flow): ReadonlyArray<Check> => [
  otherMethod(flow, "GET"),
  otherMethod(flow, "POST"),
  otherMethod(flow, "DELETE")
]
