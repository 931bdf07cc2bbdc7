import { Dialect, type Fields } from "../../dialect/Dialect.ts"
import type { CheckTable } from "../steps/Check.ts"
import { a } from "../steps/accounts.ts"
import { mustNotFail, mustNotFailOnBodies } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { sendRun } from "../steps/runs.ts"

const mismatches: Readonly<Record<string, Fields>> = {
  "no-preview": { previewShareId: undefined },
  "no-repository": { owner: undefined, repo: undefined },
  "short-commit": { commitSha: "0123abc" },
  "kind-not-a-text": { kind: 1 },
  "status-not-a-text": { status: true },
  "negative-step-count": { stepCount: -1 },
  "duration-with-a-fraction": { durationMs: 1.5 },
  "step-beyond-the-last": { status: "failed", stepCount: 2, failedStepIndex: 2 }
}

const queries: Readonly<Record<string, Fields>> = {
  "unknown-kind": { kind: "espresso" },
  "unknown-status": { status: "no such status" },
  "limit-not-a-number": { limit: "many" },
  "limit-with-a-fraction": { limit: 1.5 },
  "empty-limit": { limit: "" },
  "pr-not-a-number": { pr: "many" }
}

/** A mistake of the caller must not be answered with 5xx. */
export const mistakeChecks: CheckTable = {
  "runs.mistakes.register": {
    title: "A registration with an invalid field doesn't return 5xx.",
    cost: { requests: 3 + Object.keys(mismatches).length, bytes: bundleSizeBytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      for (const [mistake, fields] of Object.entries(mismatches)) {
        yield* mustNotFail("runs", `register.${mistake}`, yield* sendRun(mistake, shareId, fields))
      }
    }
  },
  "runs.mistakes.body": {
    title: "A body that isn't a JSON object doesn't return 5xx.",
    cost: { requests: 2, bytes: 40 },
    *run() {
      yield* mustNotFailOnBodies("runs", "test-runs", "register")
    }
  },
  "runs.mistakes.list": {
    title: "A list of test runs with an invalid parameter doesn't return 5xx.",
    cost: { requests: Object.keys(queries).length, bytes: 0 },
    readOnly: true,
    *run() {
      const dialect = yield* Dialect
      for (const [mistake, query] of Object.entries(queries)) {
        yield* mustNotFail("runs", `list.${mistake}`, yield* dialect.listRuns(query, a))
      }
    }
  }
}
