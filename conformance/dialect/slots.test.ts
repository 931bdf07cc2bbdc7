import { assert, describe, it } from "vitest"
import { exampleInput } from "../testing/uploads.ts"
import { slotsOf } from "./slots.ts"

const names = ["bundle", "style", "data", "png"]
const types = ["text/javascript", "text/css", "application/json", "image/png"]
const paths = ["bundle", "assets/style.css", "assets/data.json", "first.png"]

const urls = (json: Parameters<typeof slotsOf>[0]) => slotsOf(json, exampleInput).map((slot) => slot?.putUrl)

const reversed = [3, 2, 1, 0]

describe("the slots of a reservation", () => {
  it("are matched by their content types, anywhere and in any order", () => {
    const slots = reversed.map((at) => ({
      attributes: { putUrl: names[at] ?? "", contentType: `${types[at]}; charset=utf-8` }
    }))
    assert.deepStrictEqual(urls({ data: { included: slots } }), names)
  })

  it("are matched by the names beside or above them when all have the same type", () => {
    const slot = (at: number) => ({ putUrl: names[at] ?? "", contentType: "application/octet-stream" })
    assert.deepStrictEqual(urls(reversed.map((at) => ({ ...slot(at), name: paths[at] ?? "" }))), names)
    assert.deepStrictEqual(urls(Object.fromEntries(reversed.map((at) => [paths[at] ?? "", [slot(at)]]))), names)
    assert.deepStrictEqual(urls(reversed.map((at) => ({ ...slot(at), objectKey: `staged/${paths[at]}` }))), names)
  })

  it("are matched by their order when nothing else distinguishes them", () => {
    assert.deepStrictEqual(urls(names.map((putUrl) => ({ putUrl }))), names)
  })

  it("have the headers to send and the slot as it was answered", () => {
    const json = { putUrl: "u", contentType: "application/octet-stream", objectKey: "k", more: 1 }
    const [bundle, ...others] = slotsOf([json], exampleInput)
    assert.deepStrictEqual(bundle, {
      putUrl: "u",
      contentType: "application/octet-stream",
      objectKey: "k",
      content: exampleInput.bundle.content,
      json
    })
    assert.deepStrictEqual(others, [undefined, undefined, undefined])
    assert.strictEqual(slotsOf({ putUrl: "u" }, exampleInput)[0]?.contentType, "text/javascript")
  })
})
