import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpResponse } from "./TestHost.ts"
import { asProblem } from "./uploads.ts"

/** Checks the envelope of a refusal and returns its problem. */
export const refusal = Effect.fnUntraced(function* (answer: HttpResponse, status: number, code: string) {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
  const problem = yield* asProblem(answer.json)
  assert.strictEqual(problem.code, code)
  assert.strictEqual(problem.status, status)
  assert.strictEqual(problem.type, `urn:slipway:problem:${code}`)
  assert.isNotEmpty(problem.title)
  assert.isNotEmpty(problem.detail)
  assert.strictEqual(problem.requestId, answer.headers.get("x-request-id"))
  return problem
})

/** The paths that an `invalid_request` names, without duplicates. */
export const issuePaths = Effect.fnUntraced(function* (answer: HttpResponse) {
  const problem = yield* refusal(answer, 400, "invalid_request")
  return problem._tag === "InvalidRequest" ? [...new Set(problem.issues.map(({ path }) => path))] : []
})
