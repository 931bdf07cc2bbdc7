/** A PUT to an altered URL must send what the altered URL says. */
import { assert, it } from "vitest"
import { tampered } from "../../session/tamper.ts"
import { lengthened, otherType } from "./signedUrls.ts"

const given = "https://store.example/objects/1?expires=1700000000000&type=text%2Fjavascript&length=512&signature=abcdef"

it("another length is this much longer", () => {
  assert.include(tampered(given, "length"), `&length=${512 + lengthened}&`)
})

it("another content type is this", () => {
  assert.include(tampered(given, "type"), `&type=${encodeURIComponent(otherType)}&`)
})
