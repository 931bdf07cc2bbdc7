import { Dialect, type Fields } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a } from "../steps/accounts.ts"
import { mustNotFail, mustNotFailOnBodies } from "../steps/answers.ts"
import { previewInput } from "../steps/inputs.ts"
import { readPreview } from "../steps/previews.ts"

const mismatches: Readonly<Record<string, Fields>> = {
  "no-bundle-size": { bundleSizeBytes: undefined },
  "negative-size": { bundleSizeBytes: -1 },
  "size-as-text": { bundleSizeBytes: "many" },
  "files-not-a-list": { files: "all" },
  "recordings-not-a-list": { recordings: 1 },
  "billing-kind-not-a-text": { billingKind: 1 }
}

/** A mistake of the caller must not be answered with 5xx. */
export const mistakeChecks: CheckTable = {
  "previews.mistakes.reserve": {
    title: "A preview reservation with an invalid field doesn't return 5xx.",
    cost: { requests: Object.keys(mismatches).length, bytes: 0 },
    *run() {
      const dialect = yield* Dialect
      for (const [mistake, fields] of Object.entries(mismatches)) {
        const input = yield* previewInput(mistake, { fields })
        yield* mustNotFail("previews", `reserve.${mistake}`, yield* dialect.reservePreview(input, a))
      }
    }
  },
  "previews.mistakes.body": {
    title: "A body that isn't a JSON object, or an empty finalize, doesn't return 5xx.",
    cost: { requests: 3, bytes: 40 },
    *run() {
      const { config, exchange } = yield* Session
      yield* mustNotFailOnBodies("previews", "previews", "reserve")
      const url = `${config.url}/api/v1/previews/finalize`
      yield* mustNotFail("previews", "finalize.empty", yield* exchange({ method: "POST", url, as: a, json: {} }))
    }
  },
  "previews.mistakes.read": {
    title: "A read of what can't be a shareId doesn't return 5xx.",
    cost: { requests: 2, bytes: 0 },
    readOnly: true,
    *run() {
      yield* mustNotFail("previews", "read.not-ascii", yield* readPreview("größe ✓"))
      yield* mustNotFail("previews", "read.long", yield* readPreview("x".repeat(500)))
    }
  }
}
