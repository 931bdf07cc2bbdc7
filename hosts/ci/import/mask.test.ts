import { assert, describe, it } from "vitest"
import { makeMask } from "./mask.ts"

const masking = (...values: ReadonlyArray<string>) => {
  const mask = makeMask()
  for (const value of values) mask.hide(value)
  return mask
}

describe("a mask", () => {
  it.for([
    ["in a message", 'Typed "hunter2!" twice', 'Typed "•••" twice'],
    ["more than once", "hunter2! hunter2!", "••• •••"],
    ["as a part of a word", "xhunter2!x", "x•••x"]
  ] as const)("hides a value %s", ([, text, expected]) => {
    assert.strictEqual(masking("hunter2!").text(text), expected)
  })

  it.for([
    ["in JSON", 'a "b"\\', JSON.stringify('a "b"\\')],
    ["in a URL", "p&ss wörd", `?q=${encodeURIComponent("p&ss wörd")}&x`],
    ["in a form", "p&ss word", "q=p%26ss+word"],
    ["in XML", "a<b>&c", "<t>a&lt;b&gt;&amp;c</t>"],
    ["in the name of a file", "a/b: c$d", "screenshots/a_b_ c_d.png"],
    ["in a name without spaces", "my pass word", "step-1-my_pass_word.png"],
    ["line by line", "first line\nsecond line", "1: second line"]
  ] as const)("hides a value as it stands %s", ([, value, text]) => {
    assert.include(masking(value).text(text), "•••")
    assert.notInclude(masking(value).text(text), value)
  })

  it.for(["user:hunter2!", "me:hunter2!", "a:hunter2!", "hunter2!", "x hunter2! y"])(
    "hides a value in the base64 of %j, as in Authorization: Basic",
    (text) => {
      for (const form of ["base64", "base64url"] as const) {
        const encoded = Buffer.from(text).toString(form)
        const masked = masking("hunter2!").text(`Authorization: Basic ${encoded}\n`)
        assert.include(masked, "•••")
        assert.notInclude(Buffer.from(masked.replace(/^.* /, ""), form).toString(), "hunter")
      }
    }
  )

  it("hides the variables whose names look like those of secrets, or that the user named, and no others", () => {
    const mask = makeMask({ hidden: ["CITY"], shown: ["KEY_COLOUR"] })
    mask.hideVariable("TAB", "Home")
    mask.hideVariable("CITY", "Bergen")
    mask.hideVariable("KEY_COLOUR", "green")
    for (const [index, name] of ["API_KEY", "userPassword", "DB_PASS", "otp", "ACCESSTOKEN", "MAESTRO_PIN"].entries()) {
      mask.hideVariable(name, `value-${index}`)
    }
    assert.strictEqual(mask.text("Home in Bergen is green"), "Home in ••• is green")
    assert.strictEqual(mask.text("value-0 value-1 value-2 value-3 value-4 value-5"), "••• ••• ••• ••• ••• •••")
  })

  it("shows what a test typed where the user says that it is no secret, unless a secret has the same value", () => {
    const mask = makeMask({ shown: ["QUERY", "HINT"] })
    for (const value of ["fish soup", "hunter2!"]) mask.hide(value)
    mask.hideVariable("QUERY", "fish soup")
    mask.hideVariable("HINT", "hunter2!")
    mask.hideVariable("PASSWORD", "hunter2!")
    assert.strictEqual(mask.text("fish soup hunter2!"), "fish soup •••")
  })

  it("lists the named variables that don't exist", () => {
    const mask = makeMask({ hidden: ["CITY", "TOKEN"] })
    mask.hideVariable("CITY", "Bergen")
    assert.deepStrictEqual(mask.unknownNames(), ["TOKEN"])
  })

  it("hides the longer of two values first", () => {
    assert.strictEqual(masking("secret", "secret-and-more").text("secret-and-more"), "•••")
  })

  it("hides a short value where it stands alone in quotation marks, and leaves it in times and numbers", () => {
    assert.strictEqual(masking("12").text('12:12:12 typed "12" and “12”'), '12:12:12 typed "•••" and “•••”')
  })

  it("hides no words that stand everywhere", () => {
    assert.strictEqual(masking("true", "false", "", " ").text("true and false"), "true and false")
  })

  it("treats a value as text, never as a pattern", () => {
    assert.strictEqual(masking("a.*[b]").text("a.*[b] axxb"), "••• axxb")
  })

  it("counts values and places", () => {
    const mask = masking("secret", "secret", "other-one")
    mask.text("secret secret")
    mask.text("nothing")
    assert.deepStrictEqual(mask.counts(), { values: 2, places: 2 })
  })
})
