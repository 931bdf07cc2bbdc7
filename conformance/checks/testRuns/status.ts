import type { Json } from "../../session/Exchange.ts"
import { must } from "../../dialect/Violation.ts"
import type { CheckTable } from "../steps/Check.ts"
import { isRefused } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { registerRun, sendRun, storedRuns } from "../steps/runs.ts"

const bytes = bundleSizeBytes

/** Values that a target might read as a pass, though they aren't the text `passed`. */
const notTexts: Readonly<Record<string, Json>> = {
  true: true,
  "a list of it": ["passed"],
  "an object": { passed: true }
}

/** Other values than `passed` must be accepted, and stored as failed. */
const storedAsFailed = (id: string, text: string, statuses: ReadonlyArray<string>): CheckTable => ({
  [id]: {
    title: `A run registered with ${text} is stored as failed.`,
    cost: { requests: 4 + statuses.length, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      for (const status of statuses) yield* registerRun(status, shareId, { status })
      const runs = yield* storedRuns(statuses)
      const wrong = statuses.filter((_, index) => runs[index]?.passed === true)
      const came = `Listed as passed: ${JSON.stringify(wrong)}.`
      yield* must(wrong.length === 0, "Only the exact value `passed` passes.", came)
    }
  }
})

/** Which runs are stored as passed. */
export const statusChecks: CheckTable = {
  "runs.status.passed": {
    title: "A run registered with the status `passed` is stored as passed.",
    cost: { requests: 5, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("passed", shareId, { status: "passed" })
      const runs = yield* storedRuns(["passed"])
      yield* must(
        runs.every((run) => run.passed),
        "A run with the status `passed` is listed as passed, as `answers.runStatus` and `passed` of the config have it.",
        runs.map(({ json }) => json)
      )
    }
  },
  ...storedAsFailed("runs.status.other-word", "another status than `passed`", ["failed", "success", "ok", "skipped"]),
  ...storedAsFailed("runs.status.other-case", "`passed` in another case", ["Passed", "PASSED"]),
  ...storedAsFailed("runs.status.padded", "`passed` and a space", ["passed ", " passed"]),
  ...storedAsFailed("runs.status.longer", "a status that begins or ends with `passed`", [
    "passed_with_warnings",
    "not passed",
    "failed\npassed"
  ]),
  "runs.status.not-a-text": {
    title: "A run registered with a status that isn't a text is not stored as passed.",
    cost: { requests: 4 + Object.keys(notTexts).length, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      const taken: Array<string> = []
      for (const [label, status] of Object.entries(notTexts)) {
        // The interface doesn't say whether such a status is accepted.
        if (!isRefused(yield* sendRun(label, shareId, { status }))) taken.push(label)
      }
      const runs = yield* storedRuns(taken)
      const wrong = taken.filter((_, index) => runs[index]?.passed === true)
      yield* must(wrong.length === 0, "Only the text `passed` passes.", `Listed as passed: ${wrong.join(", ")}.`)
    }
  },
  "runs.status.passed-with-message": {
    title: "A run with the status `passed` and a failureMessage is stored as passed, unless it is refused.",
    cost: { requests: 5, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      const fields = { status: "passed", failureMessage: "Retried once", failedStepIndex: 1 }
      // The failure fields are for failed runs, and whether others may have them isn't said.
      if (isRefused(yield* sendRun("passed", shareId, fields))) return
      const runs = yield* storedRuns(["passed"])
      const expected = "The status alone decides: exactly `passed` is stored as passed."
      yield* must(
        runs.every((run) => run.passed),
        expected,
        runs.map(({ json }) => json)
      )
    }
  },
  "runs.status.absent": {
    title: "A run registered without a status is not stored as passed.",
    cost: { requests: 5, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      // The interface doesn't say whether a status is required.
      if (isRefused(yield* sendRun("absent", shareId, { status: undefined }))) return
      const runs = yield* storedRuns(["absent"])
      yield* must(!runs.some((run) => run.passed), "A run without a status is not listed as passed.", "It was.")
    }
  }
}
