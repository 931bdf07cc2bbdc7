import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { idOf, mustHaveUrl, readById, readLatest, settledRow } from "../steps/builds.ts"
import { existingBuild, suppliedBuild } from "../steps/existingBuild.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { readyBuild } from "../steps/readyBuild.ts"

const url: Check = {
  id: "builds.read.url",
  profile: "builds",
  title: "A build that is read by its id has the url that finalize answered.",
  cost: { requests: 4, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const session = yield* Session
    const ready = yield* readyBuild("build")
    const row = yield* settledRow(readById(yield* idOf(ready.row)))
    yield* session.observe("builds.read.status", row.answer.status)
    yield* mustHaveUrl(row, ready.url, `The build that is read by its id has the url ${ready.url ?? ""}.`)
  })
}

/** The names and types in a JSON value, as text. */
const shapeOf = (json: Json | undefined): string => {
  if (typeof json !== "object" || json === null) return json === null ? "null" : typeof json
  if (Array.isArray(json)) return `[${json.map((item: Json) => shapeOf(item)).join()}]`
  const members = Object.entries(json).map(([name, value]) => `${name}: ${shapeOf(value)}`)
  return `{${members.toSorted().join(", ")}}`
}

const shape: Check = {
  id: "builds.read.same-shape",
  profile: "builds",
  title: "A build that is read by its id is answered in the same shape as the latest of its branch.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  supplied: suppliedBuild,
  run: Effect.gen(function* () {
    const { id, query } = yield* existingBuild("build")
    const latest = yield* settledRow(readLatest(query))
    const byId = yield* settledRow(readById(yield* id))
    const [expected, came] = [shapeOf(latest.answer.json), shapeOf(byId.answer.json)]
    yield* must(came === expected, `It has the shape of the latest of its branch, ${expected}.`, came)
  })
}

export const byIdChecks: ReadonlyArray<Check> = [url, shape]
