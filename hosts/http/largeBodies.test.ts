/**
 * No body of a request holds the event loop for longer than {@link boundMs}, whatever is in it, and none that doesn't fit
 * changes anything. Bodies are made beforehand, as client and host share the thread here.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { enginesWithOwnUrls } from "./testing/engines.ts"
import {
  builds,
  hostileBodies,
  mebibyte,
  previews,
  runs,
  statuses,
  validFiles,
  validRecordings,
  withFields
} from "./testing/hostileBodies.ts"
import { shortestLoopHold } from "./testing/loopHold.ts"
import { list, previewBody, runBody } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost, type Answer } from "./testing/TestHost.ts"
import { bytes, latest, reserveBody } from "./testing/uploads.ts"

const boundMs = 50

for (const engines of enginesWithOwnUrls()) {
  layer(TestHost.layer(engines))(`large bodies on ${engines.metadata} and ${engines.objects}`, (it) => {
    /**
     * Sends a body up to three times, until it blocks the event loop no longer than the bound; returns the last answer.
     */
    const heldBy = Effect.fnUntraced(function* (
      what: string,
      path: string,
      key: string,
      body: string,
      idempotencyKey?: string
    ) {
      const host = yield* TestHost
      const raw = bytes(body)
      assert.isAtMost(raw.byteLength, mebibyte, what)
      let answer: Answer | undefined
      const headers = {
        "content-type": "application/json",
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
      }
      const heldMs = yield* shortestLoopHold(
        Effect.tap(host.call("POST", path, { key, raw, headers }), (one) => Effect.sync(() => (answer = one))),
        boundMs
      )
      assert.isAtMost(heldMs, boundMs, what)
      return answer ?? (yield* Effect.die("nothing was sent"))
    })

    const uploader = newAccount(["builds", "preview_upload", "test_runs"])

    it.effect("invalid fields are refused by name, and nothing is stored", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const account = yield* uploader
        for (const [what, { body, issues, path }] of Object.entries(hostileBodies(account))) {
          const problem = yield* refusal(yield* heldBy(what, path, account.key, body), 400, "invalid_request")
          const named = problem._tag === "InvalidRequest" ? problem.issues.map((one) => one.path) : []
          assert.sameMembers([...new Set(named)], [...issues], what)
        }
        assert.strictEqual((yield* latest(account)).status, 404)
        assert.deepStrictEqual((yield* list(account)).json, { testRuns: [] })
        assert.deepStrictEqual((yield* host.admin.usage({ account: account.name })).months, [])
      })
    )

    it.effect("a refused list's issue states its length and the limit, and omitted issues are counted", () =>
      Effect.gen(function* () {
        const account = yield* uploader
        const bodies = hostileBodies(account)
        const told = Effect.fnUntraced(function* (what: string) {
          const { body, path } = bodies[what] ?? (yield* Effect.die(what))
          const host = yield* TestHost
          const headers = { "content-type": "application/json" }
          const problem = yield* refusal(
            yield* host.call("POST", path, { key: account.key, raw: body, headers }),
            400,
            "invalid_request"
          )
          return problem._tag === "InvalidRequest" ? problem : yield* Effect.die(problem._tag)
        })
        const { issues } = yield* told("numbers for files")
        assert.deepStrictEqual(issues, [{ path: "files", message: "must have at most 1000 items, not 523788" }])
        const cut = yield* told("a thousand files with four misfits each")
        assert.lengthOf(cut.issues, 1000)
        assert.include(cut.detail, "more than 1000 places; issues has the first 1000")
      })
    )

    it.effect("a status of a megabyte is accepted, even with an Idempotency-Key", () =>
      Effect.gen(function* () {
        const account = yield* uploader
        for (const [what, status] of Object.entries(statuses)) {
          const body = withFields(runBody(account, "x", { status: undefined }), `"status":${status}`)
          for (const key of [undefined, "a-key"]) {
            yield* refusal(yield* heldBy(what, runs, account.key, body, key), 404, "not_found")
          }
        }
      })
    )

    it.effect("a thousand files with long paths are reserved, presigned and stored", () =>
      Effect.gen(function* () {
        const account = yield* uploader
        const preview = JSON.stringify(previewBody({ files: validFiles, recordings: validRecordings }))
        const build = JSON.stringify(reserveBody(account, { files: validFiles }))
        for (const [path, body] of [
          [previews, preview],
          [builds, build]
        ] as const) {
          assert.isAtLeast(body.length, 0.9 * mebibyte)
          for (const key of [undefined, `a-key-for-${path.length}`]) {
            const answer = yield* heldBy(path, path, account.key, body, key)
            assert.strictEqual(answer.status, 201, answer.text.slice(0, 1000))
          }
        }
        const padded = JSON.stringify(previewBody()).padStart(mebibyte)
        assert.strictEqual((yield* heldBy("spaces", previews, account.key, padded)).status, 201)
      })
    )
  })
}
