import { assert, it } from "@effect/vitest"
import { repositoryAccess } from "./repositoryAccess.ts"

const app = { owner: "Acme", repo: "App" }
const other = { owner: "acme", repo: "other" }

it("a list selects in either case, and a caller changes only what it sees", () => {
  const listed = repositoryAccess(["ACME/app"])
  assert.deepStrictEqual([app, other].map(listed.sees), [true, false])
  assert.deepStrictEqual([app, other].map(listed.mayChange), [true, false])
  const read = repositoryAccess(["acme/app"], [])
  assert.deepStrictEqual([read.sees(app), read.mayChange(app)], [true, false])
  const more = repositoryAccess(["acme/app"], ({ repo }) => repo === "other")
  assert.deepStrictEqual([app, other].map(more.mayChange), [false, false])
  assert.deepStrictEqual([app, other].map(repositoryAccess([]).sees), [false, false])
})

it("a function is asked with the names as they were linked, and only `true` is an answer", () => {
  const asked: Array<unknown> = []
  const access = repositoryAccess((repository) => {
    asked.push(repository)
    return "yes" as unknown as boolean
  })
  assert.isFalse(access.sees({ ...app, id: "hidden" } as typeof app))
  assert.deepStrictEqual(asked, [app])
})
