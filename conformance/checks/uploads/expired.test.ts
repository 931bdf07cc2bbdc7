/** A host whose tokens live as long as it tells passes; the mutants have hosts whose tokens live longer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fairHosts } from "../../fair/hosts.ts"
import { fairInProcess } from "../../testing/fairInProcess.ts"
import { runTarget } from "../../testing/runTarget.ts"

const ids = ["builds.finalize.expired", "previews.finalize.expired"]

/** The life of a token, in milliseconds. */
const lifeMs = 20

describe("a token past its life", () => {
  for (const [name, start] of Object.entries(fairHosts)) {
    it.live(`is refused by the fair host ${name}, which tells its life`, () =>
      Effect.gen(function* () {
        const { target, transport } = yield* fairInProcess(start, { now: Date.now, lives: { tokenMs: lifeMs } })
        const config = { ...target.config, tokenLifeMs: lifeMs }
        const { report } = yield* runTarget({ ...target, config }, { only: ids, transport })
        assert.deepStrictEqual(
          report.checks.map(({ id, outcome, violation }) => `${id} ${outcome} ${violation?.came ?? ""}`),
          ids.map((id) => `${id} passed `)
        )
      })
    )
  }

  it.live("isn't waited for without a configured lifetime", () =>
    Effect.gen(function* () {
      const { target, transport } = yield* fairInProcess(fairHosts["eventual"] ?? assert.fail("eventual"))
      const { report } = yield* runTarget(target, { only: ids, transport })
      for (const { outcome, reason } of report.checks) {
        assert.strictEqual(outcome, "skipped")
        assert.include(reason, "tokenLifeMs")
      }
    })
  )
})
