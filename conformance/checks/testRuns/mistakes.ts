import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Fields } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { mustNotBeItsOwn } from "../steps/callersMistake.ts"
import { a } from "../steps/credentials.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { sendRun } from "../steps/runs.ts"

const misfits: Readonly<Record<string, Fields>> = {
  "no-preview": { previewShareId: undefined },
  "no-repository": { owner: undefined, repo: undefined },
  "short-commit": { commitSha: "0123abc" },
  "kind-not-a-text": { kind: 1 },
  "status-not-a-text": { status: true },
  "negative-step-count": { stepCount: -1 },
  "duration-with-a-fraction": { durationMs: 1.5 },
  "step-beyond-the-last": { status: "failed", stepCount: 2, failedStepIndex: 2 }
}

const fields: Check = {
  id: "runs.mistakes.register",
  profile: "testRuns",
  title: "A registration with a field that doesn't fit isn't answered with 5xx.",
  cost: { requests: 3 + Object.keys(misfits).length, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    for (const [mistake, fields] of Object.entries(misfits)) {
      yield* mustNotBeItsOwn("runs", `register.${mistake}`, yield* sendRun(mistake, shareId, fields))
    }
  })
}

const bodies: Check = {
  id: "runs.mistakes.body",
  profile: "testRuns",
  title: "A body that isn't a JSON object isn't answered with 5xx.",
  cost: { requests: 2, bytes: 40 },
  run: Effect.gen(function* () {
    const { config, content, exchange } = yield* Session
    const runs = { method: "POST", url: `${config.url}/api/v1/test-runs`, as: a }
    const headers = { "content-type": "application/json" }
    const notJson = yield* exchange({ ...runs, headers, content: content("not JSON", 40) })
    yield* mustNotBeItsOwn("runs", "register.not-json", notJson)
    yield* mustNotBeItsOwn("runs", "register.list", yield* exchange({ ...runs, json: [] }))
  })
}

const queries: Readonly<Record<string, Fields>> = {
  "unknown-kind": { kind: "espresso" },
  "unknown-status": { status: "no such status" },
  "limit-not-a-number": { limit: "many" },
  "limit-with-a-fraction": { limit: 1.5 },
  "empty-limit": { limit: "" },
  "pr-not-a-number": { pr: "many" }
}

const lists: Check = {
  id: "runs.mistakes.list",
  profile: "testRuns",
  title: "A list of test runs with a parameter that doesn't fit isn't answered with 5xx.",
  cost: { requests: Object.keys(queries).length, bytes: 0 },
  readOnly: true,
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    for (const [mistake, query] of Object.entries(queries)) {
      yield* mustNotBeItsOwn("runs", `list.${mistake}`, yield* dialect.listRuns(query, a))
    }
  })
}

export const mistakeChecks: ReadonlyArray<Check> = [fields, bodies, lists]
