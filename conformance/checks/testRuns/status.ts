import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { isRefused } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { registerRun, sendRun, storedRuns } from "../steps/runs.ts"

const bytes = bundleSizeBytes

/** What somebody might take for a pass. */
const notTexts: Readonly<Record<string, Json>> = {
  true: true,
  "a list of it": ["passed"],
  "an object": { passed: true }
}

const passed: Check = {
  id: "runs.status.passed",
  profile: "testRuns",
  title: "A run registered with the status `passed` is stored as passed.",
  cost: { requests: 5, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("passed", shareId, { status: "passed" })
    const runs = yield* storedRuns(["passed"])
    yield* must(
      runs.every((run) => run.passed),
      "A run with the status `passed` is listed as passed, as `answers.runStatus` and `passed` of the config have it.",
      runs.map(({ json }) => json)
    )
  })
}

/** That other values than `passed` are taken, and stored as failed. */
const storedAsFailed = (id: string, text: string, statuses: ReadonlyArray<string>): Check => ({
  id,
  profile: "testRuns",
  title: `A run registered with ${text} is stored as failed.`,
  cost: { requests: 4 + statuses.length, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    for (const status of statuses) yield* registerRun(status, shareId, { status })
    const runs = yield* storedRuns(statuses)
    const wrong = statuses.filter((_, index) => runs[index]?.passed === true)
    yield* must(
      wrong.length === 0,
      "Only the exact value `passed` passes.",
      `Listed as passed: ${JSON.stringify(wrong)}.`
    )
  })
})

const notAText: Check = {
  id: "runs.status.not-a-text",
  profile: "testRuns",
  title: "A run registered with a status that isn't a text is not stored as passed.",
  cost: { requests: 4 + Object.keys(notTexts).length, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    const taken: Array<string> = []
    for (const [label, status] of Object.entries(notTexts)) {
      // Whether it is taken isn't shown.
      if (!isRefused(yield* sendRun(label, shareId, { status }))) taken.push(label)
    }
    const runs = yield* storedRuns(taken)
    const wrong = taken.filter((_, index) => runs[index]?.passed === true)
    yield* must(wrong.length === 0, "Only the text `passed` passes.", `Listed as passed: ${wrong.join(", ")}.`)
  })
}

const absent: Check = {
  id: "runs.status.absent",
  profile: "testRuns",
  title: "A run registered without a status is not stored as passed.",
  cost: { requests: 5, bytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    // Whether a status is required isn't shown.
    if (isRefused(yield* sendRun("absent", shareId, { status: undefined }))) return
    const runs = yield* storedRuns(["absent"])
    yield* must(!runs.some((run) => run.passed), "A run without a status is not listed as passed.", "It was.")
  })
}

export const statusChecks: ReadonlyArray<Check> = [
  passed,
  storedAsFailed("runs.status.other-word", "another status than `passed`", ["failed", "success", "ok", "skipped"]),
  storedAsFailed("runs.status.other-case", "`passed` in other letters", ["Passed", "PASSED"]),
  storedAsFailed("runs.status.padded", "`passed` and a space", ["passed ", " passed"]),
  storedAsFailed("runs.status.longer", "a status that begins or ends with `passed`", [
    "passed_with_warnings",
    "not passed"
  ]),
  notAText,
  absent
]
