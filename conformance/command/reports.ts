/** What is done with reports that were written before, offline. */
import { Console, Effect, Schema } from "effect"
import { Refused } from "../config/Refused.ts"
import { renderBadge } from "../report/badge.ts"
import { paintFor } from "../report/paint.ts"
import { decodeReport } from "../verify/decode.ts"
import { diff as difference } from "../verify/diff.ts"
import { counted } from "../report/words.ts"
import { isWorse, renderDiff } from "../verify/renderDiff.ts"
import { renderVerification } from "../verify/renderVerification.ts"
import { verify as verifyReport } from "../verify/verify.ts"
import { Ended } from "./Ended.ts"
import { readText } from "./files.ts"
import { commandName } from "../config/commandName.ts"

const parsed = Effect.fnUntraced(function* (file: string) {
  return yield* Effect.mapError(
    Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))(yield* readText(file)),
    () => new Refused({ message: `The file ${file} is not JSON` })
  )
})

const readReport = Effect.fnUntraced(function* (file: string) {
  return yield* Effect.mapError(
    decodeReport(yield* parsed(file)),
    ({ sentences }) => new Refused({ message: `The file ${file} is no report: ${sentences[0] ?? "it doesn't fit"}` })
  )
})

/** Judges the recorded run of a report again. */
export const verify = Effect.fnUntraced(function* (input: { readonly report: string }) {
  const verification = yield* verifyReport(yield* parsed(input.report))
  yield* Console.log(renderVerification(verification, paintFor(process.stdout)).trimEnd())
  if (verification.verdict !== "confirmed") {
    return yield* new Ended({ code: 1, message: `${input.report} is not confirmed` })
  }
})

/** Prints the badge of a report whose recorded run, judged again, has the same verdicts. */
export const badge = Effect.fnUntraced(function* (input: { readonly report: string }) {
  const { verdict } = yield* verifyReport(yield* parsed(input.report))
  if (verdict !== "confirmed") {
    return yield* new Ended({ code: 1, message: `${input.report} is not confirmed: see ${commandName} verify` })
  }
  yield* Console.log(renderBadge(yield* readReport(input.report)).trimEnd())
})

/** Shows what changed from one report to another. Exit 1 when what passed before doesn't pass now. */
export const diff = Effect.fnUntraced(function* (input: { readonly before: string; readonly after: string }) {
  const changed = difference(yield* readReport(input.before), yield* readReport(input.after))
  yield* Console.log(renderDiff(changed, paintFor(process.stdout)).trimEnd())
  const worse = changed.checks.filter(isWorse)
  if (worse.length > 0) {
    return yield* new Ended({ code: 1, message: `${counted(worse.length, "check")} passed before and not now` })
  }
})
