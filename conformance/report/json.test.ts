import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { referenceHost } from "../testing/referenceHost.ts"
import { runTarget } from "../testing/runTarget.ts"
import { renderJson, reportJsonSchema } from "./json.ts"
import { exampleFailure, exampleReport } from "./testing/exampleReport.ts"

const validate = new Ajv2020({ strict: false }).compile(reportJsonSchema())

describe("a report in JSON", () => {
  it("is read back as it was", () => {
    const odd = { expected: "\u{E0041} \uD800 \u202E \u009B ‹redacted 1›", came: "\u0000\r\n\t\\u0041" }
    const report = exampleReport([{ ...exampleFailure, violation: odd }])
    assert.deepStrictEqual(JSON.parse(renderJson(report)), report)
  })

  it.live("fits its schema, also of a real run", () =>
    Effect.gen(function* () {
      const { report } = yield* runTarget(yield* referenceHost(), { only: ["builds.finalize.foreign-account"] })
      assert.isTrue(validate(JSON.parse(renderJson(report))), JSON.stringify(validate.errors))
    }).pipe(Effect.scoped)
  )

  for (const [what, wrong] of [
    ["an outcome that there isn't", { checks: [{ ...exampleFailure, outcome: "fine" }] }],
    ["a field that there isn't", { signature: "trust me" }],
    ["no digest", { suite: { version: "1.2.3" } }]
  ] as const) {
    it(`with ${what} doesn't fit its schema`, () => {
      const report = JSON.parse(JSON.stringify({ ...exampleReport([exampleFailure]), ...wrong }))
      assert.isFalse(validate(report))
    })
  }
})
