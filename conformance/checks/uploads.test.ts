/** A host whose tokens and URLs live as long as it tells passes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fairHosts } from "../fair/hosts.ts"
import { fairInProcess, runTarget } from "../testing/target.ts"
import { tampered } from "../session/tamper.ts"
import { lengthened, otherType } from "./uploads.ts"

/** A life in milliseconds. */
const lifeMs = 20

const lives = [
  {
    name: "token",
    ids: ["builds.finalize.expired", "previews.finalize.expired"],
    setting: "tokenLifeMs",
    of: "tokenMs"
  },
  { name: "PUT URL", ids: ["builds.put.expired", "previews.put.expired"], setting: "putUrlLifeMs", of: "putUrlMs" }
]

describe.each(lives)("a $name past its life", ({ ids, of, setting }) => {
  for (const [name, start] of Object.entries(fairHosts)) {
    it.live(`is refused by the fair host ${name}, which tells its life`, () =>
      Effect.gen(function* () {
        const { target, transport } = yield* fairInProcess(start, { now: Date.now, lives: { [of]: lifeMs } })
        const config = { ...target.config, [setting]: lifeMs }
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
        assert.include(reason, setting)
      }
    })
  )
})

// A PUT to an altered URL must send what the altered URL says.

const given = "https://store.example/objects/1?expires=1700000000000&type=text%2Fjavascript&length=512&signature=abcdef"

it("another length is this much longer", () => {
  assert.include(tampered(given, "length"), `&length=${512 + lengthened}&`)
})

it("another content type is this", () => {
  assert.include(tampered(given, "type"), `&type=${encodeURIComponent(otherType)}&`)
})
