import { Effect, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { Report } from "../report/Report.ts"
import { decodeReport, verify, type Verification } from "../verify/verify.ts"

/**
 * What came of judging a report again. `confirmed`: by the same suite. `still confirmed`: by a later one, which asks the same
 * and comes to the same. `earlier suite`: its suite sent other requests, so this one can't evaluate it.
 */
export type Standing = "confirmed" | "still confirmed" | "earlier suite" | "not confirmed"

/** A report that was handed in. */
export interface Result {
  readonly file: string
  /** `undefined` when the file holds no report. */
  readonly report: Report | undefined
  readonly verification: Verification
  readonly standing: Standing
}

/** The folder of the reports, each a `.json.gz`, or a `.json` as the suite writes it. */
export const folder = import.meta.dirname

const standingOf = ({ findings, verdict }: Pick<Verification, "findings" | "verdict">): Standing => {
  if (verdict === "confirmed") return "confirmed"
  const isOfAnother = findings.some(({ about }) => about === "suite")
  if (!isOfAnother || findings.some(({ about }) => about === "signature" || about === "report")) return "not confirmed"
  return findings.every(({ about }) => about === "suite" || about === "interface") ? "still confirmed" : "earlier suite"
}

const parse = Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))

/** Judges what a file of this name holds. */
export const judged = Effect.fnUntraced(function* (file: string, bytes: Uint8Array): Effect.fn.Return<Result> {
  const text = Buffer.from(file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()
  const said = yield* Effect.orElseSucceed(parse(text), () => undefined)
  const verification = yield* verify(said)
  const report = yield* Effect.orElseSucceed(decodeReport(said), () => undefined)
  return { file, report, verification, standing: standingOf(verification) }
})

/** Every report of the folder, judged again; that of the reference host first. */
export const results: Effect.Effect<ReadonlyArray<Result>> = Effect.suspend(() => {
  const files = readdirSync(folder).filter((file) => /\.json(?:\.gz)?$/.test(file))
  const own = files.filter((file) => file === ownFile)
  const others = files.filter((file) => file !== ownFile).toSorted()
  return Effect.forEach([...own, ...others], (file) => judged(file, readFileSync(join(folder, file))))
})

/** The report of the reference host. */
export const ownFile = "slipway.json.gz"
