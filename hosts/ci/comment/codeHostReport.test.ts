/**
 * One comment and one result of a CI run on each code host, whatever it answers to any request, over HTTP, with the test's clock.
 */
import { assert, describe, it, onTestFinished } from "vitest"
import { Stopped } from "../command/Context.ts"
import { startComments, type CommentsEmulator, type Fault, type Refusal } from "../testing/commentsEmulator.ts"
import { writeComment, writeResult, type Access } from "./codeHostReport.ts"
import { codeHosts, type CheckResult } from "./codeHosts.ts"

const now = Date.parse("2026-11-23T12:00:00Z")
const sha = "a".repeat(40)
const name = "acme/app"

const repositories = {
  github: { owner: "acme", repo: "app" },
  gitlab: { project: "3" },
  bitbucket: { owner: "acme", repo: "app" },
  azure: { project: "p", repository: "r" },
  gitea: { owner: "acme", repo: "app" }
} as const
type HostName = keyof typeof repositories
const hostNames = ["github", "gitlab", "bitbucket", "azure", "gitea"] as const satisfies ReadonlyArray<HostName>

const env = { CI_COMMIT_SHA: sha, CI_PIPELINE_ID: "998", CI_COMMIT_REF_NAME: "feature/pay" }

interface Job {
  readonly host?: HostName
  readonly token?: string
  readonly source?: string
  readonly name?: string
  readonly pr?: number | undefined
}

/** A job that reports to an emulated host, and what it waited for and said. */
const jobOf = (
  emulator: CommentsEmulator,
  { host = "github", token = "ghp_0", source = "github:100", ...job }: Job = {}
) => {
  const waits: Array<number> = []
  const lines: Array<string> = []
  const access: Access = {
    api: emulator.url,
    token,
    host: codeHosts[host],
    repository: repositories[host],
    signal: new AbortController().signal,
    log: (line) => void lines.push(line),
    timing: { now: () => now, random: () => 0, wait: async (ms) => void waits.push(ms) }
  }
  const settings = {
    pr: "pr" in job ? job.pr : 7,
    commit: sha,
    branch: "feature/pay",
    source,
    from: new Map<string, string>()
  }
  const context = {
    env,
    cwd: "/",
    out: () => {},
    err: () => {},
    terminal: undefined,
    signal: access.signal
  }
  const said = async (outcome: Promise<string | Stopped> | string | Stopped) => {
    const answer = await outcome
    return {
      isWritten: /is written/.test(String(answer)),
      message: answer instanceof Stopped ? answer.message : answer
    }
  }
  return {
    waits,
    lines,
    comment: (text: string | (() => string)) =>
      said(
        writeComment(
          settings,
          context,
          { name: job.name ?? name, source },
          async () => (typeof text === "string" ? text : text()),
          access
        )
      ),
    check: (of: Partial<CheckResult> | (() => Partial<CheckResult>)) =>
      said(
        writeResult(
          settings,
          context,
          async () => ({
            conclusion: "failure",
            name: `Slipway ${job.name ?? name}`,
            title: "❌ 1 failed",
            summary: "### Tests",
            url: "https://slipway.example/sources",
            annotations: [{ path: "a.ts", title: "Pay", message: "gone", isKnown: false }],
            ...(typeof of === "function" ? of() : of)
          }),
          access
        )
      )
  }
}

const started = async () => {
  const emulator = await startComments()
  onTestFinished(emulator.close)
  return emulator
}

const shownIn = ({ comments }: CommentsEmulator) => comments.filter(({ deleted }) => deleted !== true)

/** The results under their own names: of check runs that were created at the same moment, all but one gave theirs up. */
const liveIn = ({ checks }: CommentsEmulator) => checks.filter(({ name }) => !name.endsWith(" (replaced)"))

const person = { login: "zoe", type: "User" }

describe("GitHub's rate limits", () => {
  const created = async (...refusals: ReadonlyArray<Refusal>) => {
    const github = await started()
    github.refuse("POST", ...refusals)
    const job = jobOf(github)
    const { message } = await job.comment("hello")
    return { ...job, message, isThere: github.comments.length === 1 }
  }

  it("are waited for, as long as GitHub asks, and named", async () => {
    const resetIn = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 42) }
    const { isThere, lines, waits } = await created(
      { status: 403, message: "You have exceeded a secondary rate limit.", headers: { "retry-after": "7" } },
      { status: 403, message: "You have exceeded a secondary rate limit." },
      { status: 403, message: "API rate limit exceeded for installation.", headers: resetIn },
      { status: 429, message: "Too many requests" }
    )
    assert.deepStrictEqual({ isThere, waits }, { isThere: true, waits: [7000, 60_000, 42_000, 60_000] })
    assert.match(lines[0] ?? "", /^GitHub's secondary rate limit is reached\. .* Trying again in 7 s\.$/)
    assert.match(lines[2] ?? "", /^GitHub's rate limit of this token is reached, until 12:00:42 UTC\./)
  })

  it("are named where the wait would be too long", async () => {
    const { isThere, message, waits } = await created({
      status: 403,
      message: "API rate limit exceeded for installation.",
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 1800) }
    })
    assert.deepStrictEqual({ isThere, waits }, { isThere: false, waits: [] })
    assert.match(message, /rate_limited: GitHub's rate limit of this token is reached, until 12:30:00 UTC/)
  })

  it("are no lack of permission, which is not tried again", async () => {
    const { message, waits } = await created({ status: 403 })
    assert.deepStrictEqual(waits, [])
    assert.match(message, /doesn't let this token write the comment: Resource not accessible by integration/)
  })
})

describe.for(hostNames)("on %s", (host) => {
  const faults: ReadonlyArray<Fault & { readonly isLasting?: boolean }> = [
    ...[401, 403, 404, 409, 422, 500].map((status) => ({ status })),
    { status: 429, headers: { "retry-after": "1" } },
    { status: 403, message: "rate limit", headers: { "retry-after": "4000" } },
    { status: 502, isDone: true },
    { status: "reset" },
    { status: "reset", isDone: true },
    ...[403, 404, 502, "reset" as const].map((status) => ({ status, isLasting: true }))
  ]

  const reportingTo = (emulator: CommentsEmulator, kind: "comment" | "check") => (title: string) => {
    const job = jobOf(emulator, { host })
    if (kind === "comment") return job.comment(title)
    return job.check(title.startsWith("✅") ? { title, conclusion: "success", annotations: [] } : { title })
  }
  const textsIn = (emulator: CommentsEmulator, kind: "comment" | "check"): ReadonlyArray<string> =>
    kind === "comment"
      ? shownIn(emulator).map(({ body }) => body)
      : liveIn(emulator).map(({ conclusion, title }) => `${conclusion} ${String(title)}`)

  it("one comment of a person's token takes four requests, and so does an update of it", async () => {
    const emulator = await started()
    emulator.signIn(person)
    assert.isTrue((await jobOf(emulator, { host }).comment("one")).isWritten)
    assert.lengthOf(emulator.asked, 4)
    assert.isTrue((await jobOf(emulator, { host }).comment("two")).isWritten)
    assert.lengthOf(emulator.asked, 8)
    assert.lengthOf(shownIn(emulator), 1)
    assert.match(shownIn(emulator)[0]?.body ?? "", /two$/)
  })

  it.for(["comment", "check"] as const)(
    "a %s is written once and truly, whatever happens to any request",
    async (kind) => {
      // An earlier job of the CI run reported a success.
      for (const isFirst of [true, false]) {
        // A creation differs from an update where its answer is lost.
        for (const fault of isFirst
          ? faults.filter(({ isDone, isLasting, status }) => isDone ?? isLasting ?? status === "reset")
          : faults) {
          for (let position = 0, isReached = true; isReached; position += 1) {
            const emulator = await startComments()
            emulator.signIn(person)
            const report = reportingTo(emulator, kind)
            if (!isFirst) await report("✅ 1 passed")
            const before = emulator.asked.length
            emulator.faultOf((at) =>
              (fault.isLasting === true ? at >= before + position : at === before + position) ? fault : undefined
            )
            const { isWritten, message } = await report("❌ 1 failed")
            const label = `${JSON.stringify(fault)} at request ${position}: ${message}`
            isReached = emulator.asked.length > before + position
            assert.isAtMost(emulator.asked.length - before, 30, label)
            assert.isAtMost(textsIn(emulator, kind).length, 1, label)
            if (isWritten) assert.match(textsIn(emulator, kind)[0] ?? "", /❌ 1 failed$|^failure /, label)
            // Once the host answers again, one comment or one result is right.
            emulator.faultOf(() => undefined)
            assert.isTrue((await report("❌ 2 failed")).isWritten, label)
            assert.lengthOf(textsIn(emulator, kind), 1, label)
            assert.match(textsIn(emulator, kind)[0] ?? "", /❌ 2 failed$/, label)
            assert.isAtMost(emulator.checks[0]?.annotations.length ?? 0, 1, label)
            emulator.close()
          }
        }
      }
    }
  )

  it.for(["comment", "check"] as const)(
    "a %s of three jobs at once is true, whatever happens to a request",
    async (kind) => {
      for (const fault of faults.filter(({ isLasting }) => isLasting !== true)) {
        for (let position = 0; position < 12; position += 4) {
          const emulator = await startComments()
          emulator.signIn(person)
          emulator.faultOf((at) => (at === position ? fault : undefined))
          const report = reportingTo(emulator, kind)
          await Promise.all(Array.from({ length: 3 }, () => report("❌ 1 failed")))
          const label = `${JSON.stringify(fault)} at request ${position}`
          emulator.faultOf(() => undefined)
          assert.isTrue((await report("❌ 2 failed")).isWritten, label)
          assert.lengthOf(textsIn(emulator, kind), 1, label)
          assert.match(textsIn(emulator, kind)[0] ?? "", /❌ 2 failed$/, label)
          emulator.close()
        }
      }
    }
  )

  it("an identity that can't be read is an error, and one that may not be read leaves one comment", async () => {
    const emulator = await started()
    emulator.faultOf((_, path) => (/user$|connectionData$/.test(path) ? { status: 502 } : undefined))
    emulator.signIn(person)
    const { isWritten, message } = await jobOf(emulator, { host }).comment("one")
    assert.isFalse(isWritten)
    assert.include(message, "who has the token")
    assert.lengthOf(emulator.comments, 0)
    assert.lengthOf(emulator.asked, 5)
    emulator.faultOf((_, path) => (/user$|connectionData$/.test(path) ? { status: 403 } : undefined))
    for (const text of ["one", "two", "three"]) assert.isTrue((await jobOf(emulator, { host }).comment(text)).isWritten)
    assert.lengthOf(shownIn(emulator), 1)
    assert.match(shownIn(emulator)[0]?.body ?? "", /three$/)
  })

  it("a comment that is listed and can't be found is an error after two attempts", async () => {
    const emulator = await started()
    emulator.signIn(person)
    await jobOf(emulator, { host }).comment("one")
    const before = emulator.asked.length
    emulator.faultOf((position) =>
      position >= before && (position - before) % 2 === 0 && position > before ? { status: 404 } : undefined
    )
    assert.isFalse((await jobOf(emulator, { host }).comment("two")).isWritten)
    assert.lengthOf(emulator.asked, before + 5)
  })

  it("ten jobs at once leave one comment and one result, of the last state", async () => {
    const emulator = await started()
    emulator.signIn(person)
    let failed = 0
    const written = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        if (index % 2 === 0) failed += 1
        const job = jobOf(emulator, { host })
        const comment = await job.comment(() => `❌ ${failed} failed`)
        const check = await job.check(() => {
          const annotations = Array.from({ length: failed }, (_, number) => ({
            path: `${number}.ts`,
            title: "Pay",
            message: "gone",
            isKnown: false
          }))
          return { title: `❌ ${failed} failed`, annotations }
        })
        return [comment.isWritten, check.isWritten]
      })
    )
    assert.isTrue(written.flat().every(Boolean))
    assert.lengthOf(shownIn(emulator), 1)
    assert.match(shownIn(emulator)[0]?.body ?? "", /❌ 5 failed$/)
    assert.deepStrictEqual(
      liveIn(emulator).map(({ title }) => title),
      ["❌ 5 failed"]
    )
  })

  it("results that change all the time are an error after 20 writes", async () => {
    const emulator = await started()
    emulator.signIn(person)
    let count = 0
    const comment = await jobOf(emulator, { host }).comment(() => `${(count += 1)} passed`)
    assert.isFalse(comment.isWritten)
    const check = await jobOf(emulator, { host }).check(() => ({ title: `${(count += 1)} passed` }))
    assert.isFalse(check.isWritten)
    assert.include(check.message, "Other jobs changed it")
    assert.isAtMost(emulator.asked.length, 110)
  })

  it("finds its comment behind three pages of others", async () => {
    const emulator = await started()
    for (let count = 0; count < 350; count += 1)
      emulator.comments.push({ id: -400 + count, body: "a comment", user: person })
    const bot = host === "github" ? "ghs_0" : host === "bitbucket" ? "ATCTT0" : "0"
    for (const text of ["one", "two"])
      assert.isTrue((await jobOf(emulator, { host, token: bot }).comment(text)).isWritten)
    assert.lengthOf(shownIn(emulator), 351)
  })

  it("texts of any length and script are within the limits of each field", async () => {
    const emulator = await started()
    emulator.signIn(person)
    for (const character of ["x", "é", "語", "😀", "👩‍👩‍👧‍👦"]) {
      const long = character.repeat(3000)
      const job = jobOf(emulator, { host, name: long, source: `github:${long}` })
      const { isWritten, message } = await job.check({
        title: long,
        annotations: [{ path: "a.ts", title: long, message: "m".repeat(70_000), isKnown: true }]
      })
      assert.isTrue(isWritten)
      assert.notInclude(message, "without its report")
      const { title } = emulator.checks.at(-1) ?? {}
      assert.isTrue(String(title).isWellFormed())
      assert.match(String(title), new RegExp(`^(?:${character})+…$`, "u"))
    }
    const names = [`${"n".repeat(300)}1`, `${"n".repeat(300)}2`, "n"]
    for (const name of names) await jobOf(emulator, { host, name }).check({})
    assert.lengthOf(new Set(emulator.checks.map(({ name }) => name)), 5 + names.length)
  })

  it("a report that is refused leaves its conclusion", async () => {
    const emulator = await started()
    const job = () => jobOf(emulator, { host, source: "github:99" })
    assert.isTrue((await job().check({ conclusion: "success", title: "✅" })).isWritten)
    const methods = host === "github" ? ["PATCH", "POST"] : ["POST"]
    for (const status of [400, 413, 422]) {
      for (const method of methods) emulator.refuse(method, status)
      const { isWritten, message } = await job().check({ title: `❌ ${status}` })
      assert.isTrue(isWritten)
      assert.include(message, `without its report: ${codeHosts[host].name}, the result of the commit: ${status}`)
      assert.strictEqual(emulator.checks.at(-1)?.conclusion, "failure")
      for (const method of methods) emulator.refuse(method)
    }
  })
})

it("a job that is killed while it creates a check run leaves no success, and another job takes the check run over", async () => {
  const github = await started()
  let failed = 0
  const state = (): Partial<CheckResult> =>
    failed === 0 ? { conclusion: "success", title: "✅ 1 passed" } : { title: `❌ ${failed} failed` }
  const other = () => jobOf(github).check(state)
  github.beforeResult(async () => {
    await other()
    failed = 1
    github.faultOf((_, path) => (path.includes("/check-runs") ? { status: "reset" } : undefined))
  })
  assert.isFalse((await jobOf(github).check(state)).isWritten)
  github.faultOf(() => undefined)
  assert.deepStrictEqual(
    github.checks.map(({ conclusion }) => conclusion),
    ["success", "in_progress"]
  )
  assert.isTrue((await other()).isWritten)
  assert.deepStrictEqual(
    github.checks.map(({ conclusion, name }) => [conclusion, name.replace(/^.*app/, "")]),
    [
      ["neutral", " (replaced)"],
      ["failure", ""]
    ]
  )
})

it("a comment of somebody else is neither changed nor deleted", async () => {
  const github = await started()
  const body = "[slipway-ci acme%2Fapp github%3A99]: #slipway-ci\n\n✅ 5 passed"
  github.comments.push({ id: -2, body, user: person }, { id: -1, body, user: { login: "eve", type: "User" } })
  for (const token of ["ghs_0", "ghp_0"]) {
    if (token === "ghp_0") github.signIn({ login: "max", type: "User" })
    assert.isTrue((await jobOf(github, { token }).comment("❌ 1 failed")).isWritten)
  }
  assert.deepStrictEqual(
    github.comments.map(({ body, user }) => [user.login, body.slice(-10)]),
    [
      ["zoe", "✅ 5 passed".slice(-10)],
      ["eve", "✅ 5 passed".slice(-10)],
      ["github-actions[bot]", "❌ 1 failed".slice(-10)],
      ["max", "❌ 1 failed".slice(-10)]
    ]
  )
})

it("on GitLab the status is one of the pipeline that runs, found by its id and reference", async () => {
  const gitlab = await started()
  await jobOf(gitlab, { host: "gitlab" }).check({})
  assert.deepInclude(gitlab.results[0], { path: `/projects/3/statuses/${sha}` })
  assert.deepInclude(gitlab.results[0]?.body, { ref: "feature/pay", pipeline_id: 998, state: "failed" })
})

it("on Azure Repos the status is one of the commit, or of the version of the pull request that has it", async () => {
  const azure = await started()
  await jobOf(azure, { host: "azure" }).check({})
  await jobOf(azure, { host: "azure", pr: undefined }).check({})
  assert.deepStrictEqual(
    azure.results.map(({ body, path }) => [path, Reflect.get(Object(body), "iterationId")]),
    [
      ["/p/_apis/git/repositories/r/pullRequests/7/statuses", 3],
      [`/p/_apis/git/repositories/r/commits/${sha}/statuses`, undefined]
    ]
  )
})
