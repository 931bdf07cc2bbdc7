import { createPrivateKey, X509Certificate } from "node:crypto"
import { assert, it } from "vitest"
import { selfSigned } from "./selfSigned.ts"

it("a certificate names its subject, holds now, and is signed by its own key", () => {
  const { cert, key } = selfSigned("example.test")
  const read = new X509Certificate(cert)
  assert.strictEqual(read.subject, "CN=example.test")
  assert.isTrue(read.verify(read.publicKey))
  assert.isTrue(read.checkPrivateKey(createPrivateKey(key)))
  assert.isTrue(read.validFromDate.getTime() < Date.now() && Date.now() < read.validToDate.getTime())
})
