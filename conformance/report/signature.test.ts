import { generateKeyPairSync } from "node:crypto"
import { assert, describe, it } from "vitest"
import { renderJson } from "./json.ts"
import { privateKeyIn, signatureOf, signed } from "./signature.ts"
import { exampleReport } from "./testing/exampleReport.ts"

const pem = ({ privateKey }: ReturnType<typeof generateKeyPairSync>): string =>
  privateKey.export({ type: "pkcs8", format: "pem" }).toString()

const key = () => privateKeyIn(pem(generateKeyPairSync("ed25519"))) ?? assert.fail("no key")

describe("a signature", () => {
  it("is over the whole report, in whatever order and layout its file has it", () => {
    const report = signed(exampleReport([]), key())
    const said = JSON.parse(renderJson(report))
    assert.isTrue(signatureOf(said, report)?.fits)
    const reordered = Object.fromEntries(Object.entries(said).toReversed())
    assert.isTrue(signatureOf(JSON.parse(JSON.stringify(reordered)), report)?.fits)
    for (const change of [
      { verdicts: { builds: "partial" } },
      { run: { ...said.run, id: "another" } },
      { config: { ...said.config, implementation: { organisation: "Another", name: "another" } } }
    ]) {
      assert.isFalse(signatureOf({ ...said, ...change }, report)?.fits, JSON.stringify(change))
    }
  })

  it("names its key, and fits only with that", () => {
    const [one, other] = [signed(exampleReport([]), key()), signed(exampleReport([]), key())]
    const said = JSON.parse(renderJson(one))
    assert.match(signatureOf(said, one)?.by ?? "", /^SHA256:[\w-]{43}$/)
    assert.notStrictEqual(signatureOf(said, one)?.by, signatureOf(said, other)?.by)
    const { publicKey = "" } = other.signature ?? {}
    const swapped = { signature: { algorithm: "ed25519", publicKey, value: one.signature?.value ?? "" } } as const
    assert.isFalse(signatureOf(said, swapped)?.fits)
    const nonsense = { signature: { algorithm: "ed25519", publicKey: "AAAA", value: "" } } as const
    assert.isFalse(signatureOf(said, nonsense)?.fits)
    assert.isUndefined(signatureOf(said, {}))
  })

  it("is by an Ed25519 key and by no other", () => {
    assert.isUndefined(privateKeyIn(pem(generateKeyPairSync("ed448"))))
    assert.isUndefined(privateKeyIn("no key"))
  })
})
