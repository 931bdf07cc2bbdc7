import { assert, describe, it } from "@effect/vitest"
import { jsonBeginning } from "./jsonBeginning.ts"
import { jsonTree } from "./jsonTree.ts"

const most = { values: 6, depth: 3 }
const begun = (json: string) => {
  const found = jsonBeginning(json, most)
  return found === undefined ? undefined : [JSON.stringify(found.value), found.isWhole]
}

describe("JSON as far as it is shown", () => {
  it("is all of it where it is small", () => {
    for (const json of ['{"a":[1,2],"b":"],{\\""}', "[]", "3", '"a,[b"', "[[[1]]]", '{"__proto__":"x","a":"\\\\"}']) {
      assert.deepStrictEqual(begun(json), [json, true])
    }
  })

  it("is its first values where there are more", () => {
    assert.deepStrictEqual(begun("[1,2,3,4,5,6,7,8]"), ["[1,2,3,4,5]", false])
    assert.deepStrictEqual(begun('{"a":[1,{"b":2},3,4,5]}'), ['{"a":[1,{"b":2},3]}', false])
    assert.deepStrictEqual(begun('[1,2,3,4,[5,{"a":1}]]'), ["[1,2,3,4,[]]", false])
    assert.deepStrictEqual(begun(`[${"0,".repeat(9)}it isn't read this far`), ["[0,0,0,0,0]", false])
  })

  it("omits values nested too deep, and continues after them", () => {
    assert.deepStrictEqual(begun("[[[[1,[2]],3]],4]"), ['[[["…",3]],4]', false])
    assert.deepStrictEqual(begun('{"a":{"b":{"c":{"d":"}"},"e":1}}}'), ['{"a":{"b":{"c":"…","e":1}}}', false])
  })

  it("is not shown if the part that is read is invalid", () => {
    for (const json of ["", '{"a":', "[1,2", "[1}", "]", "[[[[1]]]", '"', '["a', "not json", "[1,,2]", "{}{}"]) {
      assert.isUndefined(begun(json), json)
    }
  })

  it("is a tree of no more values than are shown, whatever its text is like", () => {
    const many = 100_000
    for (const json of [
      `${"[".repeat(many)}${"]".repeat(many)}`,
      `[${"0,".repeat(many)}0]`,
      `[${"[],".repeat(many)}0]`,
      `[${'{"":{}},'.repeat(many)}0]`
    ]) {
      const tree = String(jsonTree(json) ?? "")
      assert.match(tree, /^<p class="notice">Only a part is shown/)
      assert.isAtMost([...tree.matchAll(/<li>/g)].length, 5000)
    }
    assert.notInclude(String(jsonTree("[1,2]")), "Only a part is shown")
  })
})
