import { assert, describe, it } from "vitest"
import { tamperings } from "./objectStoreBench.ts"

describe("the ways to change a parameter of a URL", () => {
  it("are other URLs, also where a parameter is empty", () => {
    const url = "http://127.0.0.1/a?empty=&signature=ab"
    const all = tamperings(url)
    assert.deepStrictEqual(
      all.filter(([, tampered]) => tampered === url),
      []
    )
    for (const name of ["empty", "signature"]) {
      const changed = all.map(([how]) => how)
      assert.includeMembers(changed, [`${name} longer`, `no ${name}`, `a second ${name}`])
    }
  })
})
