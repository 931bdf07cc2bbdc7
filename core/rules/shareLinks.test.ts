import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { ShareId } from "../model/Preview.ts"
import { TestRunId } from "../model/TestRun.ts"
import { isOpen, sameShared } from "./shareLinks.ts"

const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1000)

describe("a share link", () => {
  it("is open until the instant at which it expires", () => {
    assert.isTrue(isOpen({ expiresAt: at(60) }, at(59)))
    assert.isFalse(isOpen({ expiresAt: at(60) }, at(60)))
  })

  it("is closed once it is revoked, whatever the time", () => {
    assert.isFalse(isOpen({ expiresAt: at(60), revokedAt: at(30) }, at(10)))
  })

  it("is for a preview or a run, and never for both of one name", () => {
    const [preview, run] = [{ preview: ShareId.make("x") }, { run: TestRunId.make("x") }]
    assert.isTrue(sameShared(preview, { preview: ShareId.make("x") }))
    assert.isTrue(sameShared(run, { run: TestRunId.make("x") }))
    assert.isFalse(sameShared(preview, run))
    assert.isFalse(sameShared(run, { run: TestRunId.make("y") }))
  })
})
