import { assert, describe, it } from "vitest"
import { folderName, screenshotName } from "./importDetox.ts"

const long = `Login has a name of more bytes than a folder may have, ${"séance après séance, ".repeat(11)}and costs $5: "yes"?`

/** Each name as Detox 20.51.4 made it. */
describe("the name of a test's folder", () => {
  it.for([
    ["Login types a password", "failed", 1, "✗ Login types a password"],
    ["Login types a password", "failed", 2, "✗ Login types a password (2)"],
    ["After passes before its hook fails", "passed", 1, "✓ After passes before its hook fails"],
    ['Login costs $5 / "quoted" <tags>? yes: | a\\b', "passed", 1, "✓ Login costs _5 _ _quoted_ _tags__ yes_ _ a_b"],
    [
      'Login costs $5 / "quoted" <tags>? yes: | a\\b',
      "passed",
      2,
      "✓ Login costs _5 _ _quoted_ _tags__ yes_ _ a_b (2)"
    ],
    [long, "passed", 1, `✓ ${", séance après séance".repeat(10)}, séance a`],
    // The number of the attempt was cut away with the end of the name.
    [long, "passed", 2, `✓ ance après séance${", séance après séance".repeat(9)}, séance après`]
  ] as const)("of %s, %s at try %d", ([fullName, status, invocation, expected]) => {
    assert.strictEqual(folderName(fullName, status, invocation), expected)
  })

  it("is as sanitized for a screenshot that a test named", () => {
    assert.strictEqual(screenshotName("cart: $5"), "cart_ _5.png")
  })
})
