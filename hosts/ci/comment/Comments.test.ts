/** The waits, retries and messages when GitHub refuses, over HTTP, with the test's clock. */
import { assert, describe, it, onTestFinished } from "vitest"
import { startComments, type Refusal } from "../testing/commentsEmulator.ts"
import { codeHosts } from "./codeHosts.ts"
import { commentsOf } from "./Comments.ts"

const now = Date.parse("2026-11-23T12:00:00Z")

const resetIn = (seconds: number) => ({
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": String(now / 1000 + seconds)
})

/** Creates a comment while GitHub refuses so: what was waited for and said, and whether there is a comment at last. */
const created = async (...refusals: ReadonlyArray<Refusal>) => {
  const github = await startComments()
  onTestFinished(github.close)
  github.refuse("POST", ...refusals)
  const waits: Array<number> = []
  const lines: Array<string> = []
  const access = {
    api: github.url,
    token: "ghs_0",
    host: codeHosts.github,
    repository: { owner: "acme", repo: "app" },
    signal: new AbortController().signal,
    log: (line: string) => void lines.push(line),
    timing: { now: () => now, random: () => 0, wait: async (ms: number) => void waits.push(ms) }
  }
  const comments = commentsOf(access, codeHosts.github.comments, 7)
  const error = await comments.create("hello").then(
    () => "",
    (reason: unknown) => String(reason)
  )
  return { waits, lines, error, isThere: github.comments.length === 1 }
}

describe("GitHub's rate limits", () => {
  it("are waited for, as long as GitHub asks, and named", async () => {
    const { error, isThere, lines, waits } = await created(
      { status: 403, message: "You have exceeded a secondary rate limit.", headers: { "retry-after": "7" } },
      { status: 403, message: "You have exceeded a secondary rate limit." },
      { status: 403, message: "API rate limit exceeded for installation.", headers: resetIn(42) },
      { status: 429, message: "Too many requests" }
    )
    assert.deepStrictEqual(
      { error, isThere, waits },
      { error: "", isThere: true, waits: [7000, 60_000, 42_000, 60_000] }
    )
    assert.match(lines[0] ?? "", /^GitHub's secondary rate limit is reached\. .* Trying again in 7 s\.$/)
    assert.match(lines[2] ?? "", /^GitHub's rate limit of this token is reached, until 12:00:42 UTC\./)
  })

  it("are named where the wait would be too long", async () => {
    const { error, isThere, waits } = await created({
      status: 403,
      message: "API rate limit exceeded for installation.",
      headers: resetIn(1800)
    })
    assert.deepStrictEqual({ isThere, waits }, { isThere: false, waits: [] })
    assert.match(error, /rate_limited: GitHub's rate limit of this token is reached, until 12:30:00 UTC/)
  })

  it("are no lack of permission, which is not tried again", async () => {
    const { error, waits } = await created({ status: 403 })
    assert.deepStrictEqual(waits, [])
    assert.match(error, /403 refused: Resource not accessible by integration/)
  })
})
