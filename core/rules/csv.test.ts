import { assert, it } from "@effect/vitest"
import { csvOf } from "./csv.ts"

it("CSV quotes what needs it, and no text is a formula", () => {
  const columns = {
    name: (row: readonly [string, number]) => row[0],
    count: (row: readonly [string, number]) => row[1]
  }
  const names = ["Pay", 'a,"b"\nc', "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "=1,2", "a=1", ""]
  assert.deepStrictEqual(
    csvOf(
      columns,
      names.map((name) => [name, -1] as const)
    ).split("\r\n"),
    [
      "name,count",
      "Pay,-1",
      '"a,""b""\nc",-1',
      "'=1+1,-1",
      "'+1,-1",
      "'-1,-1",
      "'@SUM(A1),-1",
      "'\t=1,-1",
      `"'=1,2",-1`,
      "a=1,-1",
      ",-1",
      ""
    ]
  )
})
