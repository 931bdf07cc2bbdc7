import { assert, describe, it } from "@effect/vitest"
import { requestedRange } from "./ranges.ts"

describe("the range that a request asks for", () => {
  it.for([
    ["bytes=0-0", { offset: 0, length: 1 }],
    ["bytes=2-4", { offset: 2, length: 3 }],
    ["bytes=2-", { offset: 2 }],
    ["bytes=-5", { suffix: 5 }],
    ["bytes=-0", { suffix: 0 }],
    ["Bytes=007-9", { offset: 7, length: 3 }],
    ["bytes=0-999999999999999", { offset: 0, length: 1_000_000_000_000_000 }]
  ] as const)("%s", ([header, range]) => {
    assert.deepStrictEqual(requestedRange({ range: header }), range)
  })

  it.for([
    "",
    "bytes",
    "bytes=",
    "bytes=-",
    "bytes=4-2",
    "bytes=0-1,3-4",
    "bytes=-1-2",
    "bytes=+1-2",
    "bytes= 1-2",
    "bytes=1.0-2",
    "items=1-2",
    `bytes=0-${"9".repeat(10_000)}`
  ])("%s is none", (header) => {
    assert.isUndefined(requestedRange({ range: header }))
  })

  it("is none under a condition that doesn't hold, and without a header", () => {
    const under = (condition: string) => ({ range: "bytes=0-1", "if-range": condition })
    assert.deepStrictEqual(requestedRange(under('"a"'), '"a"'), { offset: 0, length: 2 })
    for (const condition of ['"b"', 'W/"a"', "a", "", "Sat, 21 Nov 2026 13:00:00 GMT"]) {
      assert.isUndefined(requestedRange(under(condition), '"a"'), condition)
    }
    assert.isUndefined(requestedRange(under('"a"')))
    assert.isUndefined(requestedRange({}, '"a"'))
  })
})
