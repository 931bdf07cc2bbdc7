import { assert, describe, it } from "vitest"
import { follow } from "./pointer.ts"

describe("a JSON Pointer", () => {
  // RFC 6901 §5
  const document = { foo: ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8, " ": 7 }
  for (const [pointer, value] of [
    ["", document],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/ ", 7],
    ["/m~0n", 8],
    ["/foo/2", undefined],
    ["/foo/length", undefined],
    ["/none/of/it", undefined],
    ["/toString", undefined],
    ["/a~1b/x", undefined]
  ] as const) {
    it(`"${pointer}"`, () => assert.deepStrictEqual(follow(document, pointer), value))
  }
})
