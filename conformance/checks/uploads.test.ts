/** A host whose tokens live as long as it tells passes; the mutants have hosts whose tokens live longer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fairHosts } from "../fair/hosts.ts"
import { fairInProcess, runTarget } from "../testing/target.ts"
import { tampered } from "../session/tamper.ts"
import { lengthened, otherType } from "./uploads.ts"

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

/** A PUT to an altered URL must send what the altered URL says. */

const given = "https://store.example/objects/1?expires=1700000000000&type=text%2Fjavascript&length=512&signature=abcdef"

it("another length is this much longer", () => {
  assert.include(tampered(given, "length"), `&length=${512 + lengthened}&`)
})

it("another content type is this", () => {
  assert.include(tampered(given, "type"), `&type=${encodeURIComponent(otherType)}&`)
})
