/** The submitted reports are confirmed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { page } from "./page.ts"
import { folder, judged, ownFile, results } from "./results.ts"

const all = await Effect.runPromise(results)

describe("the results", () => {
  for (const { file, standing, verification } of all) {
    it(`of ${file} mean what they say`, () => {
      assert.notStrictEqual(standing, "not confirmed", JSON.stringify(verification.findings))
    })
  }

  it("begin with those of the reference host, which is conformant", () => {
    const [own] = all
    assert.strictEqual(own?.file, ownFile)
    assert.deepStrictEqual(Object.values(own?.report?.verdicts ?? {}), ["conformant", "conformant", "conformant"])
    assert.oneOf(own?.standing, ["confirmed", "still confirmed"], "run: node conformance/results/own.ts")
  })

  it("are all on the page", () => {
    const kept = readFileSync(join(folder, "README.md"), "utf8")
    assert.strictEqual(kept, page(all), "run: node conformance/results/print.ts")
  })
})

describe("a report that was altered", () => {
  const text = gunzipSync(readFileSync(join(folder, ownFile))).toString()
  const standing = (file: string, bytes: Uint8Array) => Effect.map(judged(file, bytes), (one) => one.standing)

  it.effect("isn't confirmed, or is no report at all", () =>
    Effect.gen(function* () {
      const known = all[0]?.standing === "confirmed"
      const failing = text.replaceAll('"status": 404', '"status": 500')
      assert.strictEqual(yield* standing("a.json.gz", gzipSync(failing)), known ? "not confirmed" : "earlier suite")
      const ofAnother = Buffer.from(failing.replace(/"suite": \{\s*"version": "\d+"/, '"suite": { "version": "0"'))
      assert.strictEqual(yield* standing("b.json", ofAnother), "earlier suite")
      assert.strictEqual(yield* standing("c.json", Buffer.from("{}")), "not confirmed")
      assert.strictEqual(yield* standing("d.json", Buffer.from("no JSON")), "not confirmed")
      const signature = { algorithm: "ed25519", publicKey: "AAAA", value: "AAAA" }
      const signed = Buffer.from(JSON.stringify({ ...JSON.parse(text), signature }))
      assert.strictEqual(yield* standing("e.json", signed), "not confirmed")
    })
  )
})
