/** Texts of a target can hold markup and control characters. Every report must show them as plain text. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runTarget } from "../testing/target.ts"
import { allFailed, everyReport, hasXmllint, hostileTarget, xmllint } from "./testing.ts"

/** Characters that no report may contain: terminal controls, marks of text direction, and what XML can't hold. */
const obeyed = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}]/u

const hostileRun = Effect.flatMap(hostileTarget, (target) => runTarget(target)).pipe(Effect.scoped)

const tags = (page: string, name: string): number => page.split(new RegExp(`<${name}[\\s>]`)).length - 1

describe("what a hostile target says", () => {
  it.live("is shown as text in every report", () =>
    Effect.gen(function* () {
      const { report } = yield* hostileRun
      const { badge = "", console = "", html = "", json = "", junit = "" } = everyReport(allFailed(report))
      assert.include(json, "gnp.exe", "the reports would have nothing hostile to show")
      assert.include(json, "FORGED")
      for (const [name, text] of Object.entries({ badge, console, html, json, junit })) {
        assert.notMatch(text, obeyed, name)
      }
      for (const text of [console, html, junit]) assert.include(text, String.raw`\u202egnp.exe\u200f`)

      assert.strictEqual(tags(html, "script") + tags(html, "img") + tags(html, "iframe"), 0)
      assert.strictEqual(tags(html, "style"), 1)
      assert.notMatch(html, /\s(?:href|src)="(?!#|data:,")/)
      assert.include(html, "&lt;script&gt;document.title")

      const forged = console.split("\n").filter((line) => /^[^<]{0,4}FORGED/.test(line))
      assert.deepStrictEqual(forged, [])
      const longest = Math.max(...console.split("\n").map((line) => line.length))
      assert.isBelow(longest, 10_000)
    })
  )

  it.live.skipIf(!hasXmllint)("leaves the XML well-formed and in its schema", () =>
    Effect.gen(function* () {
      const { report } = yield* hostileRun
      const { badge = "", junit = "" } = everyReport(allFailed(report))
      assert.strictEqual(yield* Effect.promise(() => xmllint(junit, "junit.xsd")), "")
      assert.strictEqual(yield* Effect.promise(() => xmllint(badge)), "")
    })
  )
})
