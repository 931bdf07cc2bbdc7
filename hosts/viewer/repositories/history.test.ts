/** What the page of a repository shows of the history of its tests. */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { commit } from "../../http/testing/uploads.ts"
import { accountWithRuns, retried } from "../testing/previews.ts"
import { signIn, unescaped, visit } from "../testing/visit.ts"
import { testsNotice } from "./uploadsTabs.ts"

/** A page, its text in one line, and where its links of a text lead. */
const shownAt = Effect.fnUntraced(function* (path: string, cookie: string) {
  const { status, text } = yield* visit("GET", path, { cookie })
  assert.strictEqual(status, 200)
  const main = unescaped(text.replace(/^[^]*?<main>/, "")).replaceAll(/\s+/g, " ")
  const leadsTo = (label: string) =>
    [...main.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a/g)].flatMap(([, href = "", inner = ""]) =>
      inner
        .replaceAll(/<[^>]*>/g, "")
        .trim()
        .startsWith(label)
        ? [href]
        : []
    )
  return { main, leadsTo, said: main.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ") }
})

layer(TestHost.layer(inMemory))("the history of a repository", (it) => {
  it.effect(
    "what is broken comes first: since when, how often, with which message, and compared with the last pass",
    function* () {
      const { cookie, path, ran } = yield* accountWithRuns()
      yield* ran(1, "Pay")
      const pass = yield* ran(2, "Pay")
      const first = yield* ran(3, "Pay", "failed", {
        failureMessage: "Timed out after 3 s\n  at pay.js",
        commitMessage: "Pay by card\n\nCloses #7",
        author: "Zoë"
      })
      yield* ran(4, "Pay", "failed", { failureMessage: "Timed out after 4 s\n  at pay.js" })
      yield* ran(4, "Search")
      const { leadsTo, main, said } = yield* shownAt(path, cookie)
      const verdict = said.indexOf(`Pay is broken on main since ${commit(3).slice(0, 7)}, 1 day ago.`)
      assert.isAbove(verdict, -1)
      assert.isBelow(verdict, said.indexOf("The last 4 CI runs"))
      for (const fact of ["Timed out after 4 s", "failed 2 times in a row", "50% passed", "Pay by card, by Zoë"]) {
        assert.include(said, fact)
      }
      assert.notInclude(said, "at pay.js")
      assert.deepStrictEqual(leadsTo("Compare with the last pass"), [`/compare?left=${pass.id}&right=${first.id}`])
      assert.deepStrictEqual(leadsTo("First failure"), [`/runs/${first.id}`])
      assert.deepStrictEqual(leadsTo("Last pass"), [`/runs/${pass.id}`])
      assert.match(main, /"bar" href="\/sources\?[^"]*source=github%3A4" title="Failed: 1 failed, 0 flaky, 1 passed;/)
      assert.include(main, 'aria-label="The last 4 results: 2 failed, 0 flaky, 2 passed; the newest failed"')
    }
  )

  it.effect(
    "a flaky test is no success and no failure: it has a mark of its own, its rate and its message",
    function* () {
      const { cookie, path, ran } = yield* accountWithRuns()
      yield* ran(1, "Search")
      yield* ran(2, "Search", "passed", { attempts: retried })
      const { main, said } = yield* shownAt(path, cookie)
      for (const fact of ["Nothing is broken on main.", "flaky in 50% of its last 2 results (1)", "Sometimes"]) {
        assert.include(said, fact)
      }
      assert.match(main, /title="Flaky: 0 failed, 1 flaky, 0 passed;/)
      assert.include(main, '<use href="#mark-flaky"')
    }
  )

  it.effect("tests that fail with one message are counted together", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    for (const n of [1, 2, 3]) {
      yield* ran(1, `Test ${n}`, "failed", {
        failureMessage: `Cannot find UI element "view-${n}"`
      })
    }
    const { said } = yield* shownAt(path, cookie)
    for (const fact of ["3 tests are broken on main", "3 tests fail with: Cannot find UI element …"]) {
      assert.include(said, fact)
    }
  })

  it.effect("the newest break is first, with what changed since the last pass", function* () {
    const { account, cookie, path, ran } = yield* accountWithRuns()
    const { admin } = yield* TestHost
    yield* admin.configureRepository({
      account: account.name,
      owner: account.owner,
      repo: account.repo,
      webUrl: "https://github.com/acme/app"
    })
    for (const name of ["Old", "New"]) yield* ran(1, name)
    yield* ran(2, "Old", "failed")
    yield* ran(2, "New")
    for (const name of ["New", "Old"]) yield* ran(3, name, "failed")
    const { main } = yield* shownAt(path, cookie)
    const [, broken = ""] = main.split('aria-labelledby="broken"')
    assert.isBelow(broken.indexOf(">New<"), broken.indexOf(">Old<"))
    assert.deepStrictEqual(
      Array.from(broken.matchAll(/href="(https:[^"]*)">Diff</g), ([, diff]) => diff),
      [
        `https://github.com/acme/app/compare/${commit(2)}...${commit(3)}`,
        `https://github.com/acme/app/compare/${commit(1)}...${commit(2)}`
      ]
    )
    assert.include(broken, `href="https://github.com/acme/app/commit/${commit(3)}"`)
  })

  it.effect("what broke since the last working day is first, and links select other spans", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    // The CI run `n` began 48 - n hours ago.
    for (const [n, name, status] of [
      [-400, "Old", "passed"],
      [-300, "Old", "failed"],
      [-101, "Week", "passed"],
      [-100, "Week", "failed"],
      [40, "Day", "passed"],
      [46, "Day", "failed"]
    ] as const) {
      yield* ran(n, name, status, { commitSha: commit(n + 1000), author: "Zoë" })
    }
    const named = Effect.fnUntraced(function* (more: string) {
      const { main } = yield* shownAt(path + more, cookie)
      const [, title = "", list = ""] = /id="new">([^<]*)<[^]*?<ul class="tests">([^]*?)<\/ul>/.exec(main) ?? []
      return [title.trim(), Array.from(list.matchAll(/class="name"[^>]*><bdi>(\w+)/g), ([, name]) => name)]
    })
    const [title, names] = yield* named("")
    assert.match(String(title), /^New since (yesterday|Friday)$/)
    assert.deepStrictEqual(names, ["Day"])
    assert.deepStrictEqual(yield* named("&days=7"), ["New in the last 7 days", ["Day", "Week"]])
    assert.deepStrictEqual(yield* named("&days=30"), ["New in the last 30 days", ["Day", "Week", "Old"]])
    const day = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { hours: 148 })).slice(0, 10)
    assert.deepStrictEqual(yield* named(`&from=${day}&to=${day}`), [`New from ${day} to ${day}`, ["Week"]])
    // Invalid spans are ignored.
    assert.deepStrictEqual(yield* named("&days=0&from=x"), [title, ["Day"]])
    const home = yield* shownAt("/", cookie)
    assert.isBelow(home.said.indexOf("Day"), home.said.indexOf("Repositories"))
    assert.include(home.said, "by Zoë")
  })
  it.effect("CI runs are filtered by their status, author, branch and pull request, over pages", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    for (let n = 1; n <= 35; n += 1) {
      yield* ran(n, "Pay", n === 2 ? "failed" : "passed", {
        author: n % 2 === 0 ? "Zoë Bell" : "Ada",
        ...(n === 3 ? { pr: 7, branch: "next" } : {}),
        ...(n === 4 ? { attempts: retried } : {})
      })
    }
    const listed = Effect.fnUntraced(function* (filter: string) {
      const { text } = yield* visit("GET", `${path}&tab=runs&${filter}`, { cookie })
      const [, card = ""] = /aria-labelledby="ci-runs">([^]*?)<\/section>/.exec(text) ?? []
      return Array.from(card.matchAll(/<bdi>github:(\d+)</g), ([, n]) => Number(n))
    })
    assert.deepStrictEqual(yield* listed("ended=failed"), [2])
    assert.deepStrictEqual(yield* listed("ended=flaky"), [4])
    assert.lengthOf(yield* listed("ended=passed"), 30)
    assert.lengthOf(yield* listed("author=BELL"), 17)
    assert.deepStrictEqual(yield* listed("author=bell&ended=failed"), [2])
    assert.deepStrictEqual(yield* listed("ofPr=%237"), [3])
    assert.deepStrictEqual(yield* listed("branch=next&ended=passed"), [3])
    assert.deepStrictEqual(yield* listed("author=nobody"), [])
    const file = yield* visit("GET", `${path}&tab=runs&ended=flaky&format=csv`, { cookie })
    assert.lengthOf(file.text.trim().split("\n"), 2)
  })
  it.effect(
    "the table of tests has rates, durations, last failures, and the dates and commits of its columns; each sorts it",
    function* () {
      const { cookie, path, ran } = yield* accountWithRuns()
      const second = yield* ran(2, "Broke once", "failed", { durationMs: 1000 })
      for (const n of [3, 4, 5]) yield* ran(n, "Broke once", "passed", { durationMs: 1000 })
      for (const n of [1, 2, 3, 4, 5]) {
        yield* ran(n, "Always slow", "passed", { durationMs: 9000 })
        yield* ran(n, "Flaky", "passed", { durationMs: 4000, ...(n === 4 ? { attempts: retried } : {}) })
      }
      const { main, said } = yield* shownAt(`${path}&tab=tests`, cookie)
      assert.match(said, /\d\d-\d\d 0000000 ?Failed, \d{4}-\d\d-\d\d \d\d:\d\d UTC, 0000000/)
      assert.match(said, /Broke once [^P]*Failed 25% Flaky – p50 1 s Last failure/)
      assert.match(said, /Flaky [^P]*Failed – Flaky 20% p50 4 s Last failure –/)
      assert.include(main, `Last failure </span><a href="/runs/${second.id}"`)
      const named = Effect.fnUntraced(function* (sort: string) {
        const sorted = yield* shownAt(`${path}&tab=tests&sort=${sort}`, cookie)
        assert.include(sorted.main, `aria-sort="${sort === "name" ? "ascending" : "descending"}"`)
        return Array.from(sorted.main.matchAll(/class="name"[^>]*><bdi>([^<]*)</g), ([, name]) => name)
      })
      const [once, slow, flaky] = ["Broke once", "Always slow", "Flaky"]
      assert.deepStrictEqual(yield* named("name"), [slow, once, flaky])
      assert.deepStrictEqual(yield* named("failed"), [once, slow, flaky])
      assert.deepStrictEqual(yield* named("flaky"), [flaky, slow, once])
      assert.deepStrictEqual(yield* named("p50"), [slow, flaky, once])
      assert.deepStrictEqual(yield* named("last"), [once, slow, flaky])
    }
  )

  it.effect("a green repository is shown as green, one without runs says how to register the first", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    assert.include((yield* shownAt(path, cookie)).said, 'slipway-ci.tgz" import maestro')
    yield* ran(1, "Pay")
    const { said } = yield* shownAt(path, cookie)
    for (const fact of ["Nothing is broken on main.", "The only CI run"]) assert.include(said, fact)
    assert.notInclude(said, "Broken on")
  })

  it.effect("what the default branch breaks is apart on another branch, and compared with its last pass", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    const pass = yield* ran(1, "Pay")
    yield* ran(1, "Search", "failed")
    const first = yield* ran(2, "Pay", "failed", { branch: "feature/x" })
    yield* ran(2, "Search", "failed", { branch: "feature/x" })
    const { leadsTo, said } = yield* shownAt(`${path}&branch=feature/x&days=1`, cookie)
    for (const fact of [
      `Pay is broken on feature/x since ${commit(2).slice(0, 7)}`,
      "1 other test also fails on main.",
      "Broken on feature/x before 1 ",
      `failed once · last passed on main at ${commit(1).slice(0, 7)}`,
      `Broken on main too 1 Search No message was registered. Broken since ${commit(1).slice(0, 7)}`
    ]) {
      assert.include(said, fact)
    }
    assert.deepStrictEqual(leadsTo("Compare with the last pass"), [`/compare?left=${pass.id}&right=${first.id}`])
  })

  it.effect("a branch is shown by itself", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    yield* ran(1, "Pay")
    yield* ran(2, "Pay", "failed", { branch: "feature/<pay>" })
    assert.include((yield* shownAt(path, cookie)).said, "Nothing is broken on main.")
    const { said } = yield* shownAt(`${path}&branch=${encodeURIComponent("feature/<pay>")}`, cookie)
    assert.include(said, "Pay is broken on feature/")
    assert.include((yield* shownAt(`${path}&branch=none`, cookie)).said, "There is no CI run of none.")
  })

  it.effect("the tests are a table of the last CI runs, whose cells open runs, and can be filtered", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    const made = [
      yield* ran(1, "Pay"),
      yield* ran(2, "Pay", "failed"),
      yield* ran(2, "Search", "passed", { attempts: retried })
    ]
    const { leadsTo, main } = yield* shownAt(`${path}&tab=tests`, cookie)
    const cells = (label: string) => leadsTo(label).filter((href) => href.startsWith("/runs/"))
    assert.deepStrictEqual(
      ["Passed", "Failed", "Flaky"].map(cells),
      made.map(({ id }) => [`/runs/${id}`])
    )
    assert.lengthOf([...main.matchAll(/<th scope="col"/g)], 7)
    const names = (filter: string) =>
      Effect.map(shownAt(`${path}&tab=tests${filter}`, cookie), ({ main }) =>
        [...main.matchAll(/class="name"[^>]*><bdi>([^<]*)/g)].map(([, name]) => name).toSorted()
      )
    assert.deepStrictEqual(yield* names(""), ["Pay", "Search"])
    assert.deepStrictEqual(yield* names("&status=failed"), ["Pay"])
    assert.deepStrictEqual(yield* names("&status=passed"), ["Search"])
    assert.deepStrictEqual(yield* names("&flaky=yes"), ["Search"])
    assert.deepStrictEqual(yield* names("&status=passed&branch=none"), [])
    assert.deepStrictEqual(yield* names("&text=AY"), ["Pay"])
    assert.deepStrictEqual(yield* names("&text=ay&status=passed"), [])
    assert.deepStrictEqual(yield* names("&text=PIXEL%20OS"), [])
    yield* ran(3, "Map", "passed", {
      device: { name: "Pixel 8", platform: "Pixel OS" },
      file: "e2e/tour.yaml"
    })
    for (const text of ["pixel os", "tour.yaml"]) {
      assert.deepStrictEqual(yield* names(`&${new URLSearchParams({ text })}`), ["Map"], text)
    }
  })

  it.effect("CI runs are listed with their counts and open their page", function* () {
    const { account, cookie, path, ran } = yield* accountWithRuns()
    yield* ran(1, "Pay", "passed", { pr: 41, durationMs: 61_000 })
    yield* ran(2, "Pay", "failed")
    const { leadsTo, said } = yield* shownAt(`${path}&tab=runs`, cookie)
    const { owner, repo } = account
    assert.deepStrictEqual(leadsTo("github:2"), [
      `/sources?${new URLSearchParams({ owner, repo, source: "github:2" })}`
    ])
    for (const fact of [`main · ${commit(1).slice(0, 7)} · #41 · 1 min 1 s`, "1 failed", "1 passed"]) {
      assert.include(said, fact)
    }
    assert.isBelow(said.indexOf("github:2"), said.indexOf("github:1"))
  })

  it.effect("tests, CI runs and the results of a test are files, of all pages and with the filters", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    const names = Array.from({ length: 101 }, (_, n) => `=Test ${n}`)
    yield* Effect.forEach(names, (name) => ran(1, name), { concurrency: 8 })
    yield* ran(2, "Pay", "failed", { durationMs: 7, pr: 41 })
    yield* ran(3, "Pay", "failed", { branch: "other" })
    const tests = yield* shownAt(`${path}&tab=tests&status=failed`, cookie)
    const [test = ""] = tests.leadsTo("Pay")
    const file = (href: string | undefined) =>
      Effect.map(visit("GET", href ?? "", { cookie }), ({ headers, text }) => {
        assert.match(headers.get("content-disposition") ?? "", /^attachment; filename="[a-z-]+\.(csv|json)"$/)
        return text
      })
    const all = yield* shownAt(`${path}&tab=tests`, cookie)
    const csv = yield* file(all.leadsTo("CSV")[0])
    assert.lengthOf(csv.trim().split("\r\n"), 103)
    assert.include(csv, ",'=Test 1,")
    const failed = JSON.parse(yield* file(tests.leadsTo("JSON")[0]))
    assert.deepStrictEqual(
      failed.map(({ name }: { name: string }) => name),
      ["Pay"]
    )
    const runs = yield* shownAt(`${path}&tab=runs&branch=main`, cookie)
    assert.match(
      yield* file(runs.leadsTo("CSV")[0]),
      new RegExp(`^source,branch,commitSha,pr,[^]*\r\ngithub:2,main,${commit(2)},41,[^]*,0,1,0,1,7,,0\r\n`)
    )
    const results = yield* shownAt(test, cookie)
    const [result] = JSON.parse(yield* file(results.leadsTo("JSON")[0]))
    assert.include(result, {
      status: "failed",
      flaky: false,
      branch: "main",
      commitSha: commit(2),
      durationMs: 7
    })
  })

  it.effect("CI runs say how many of their failures are new, and tests are found by tag and device", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    for (const name of ["Pay", "Map"]) yield* ran(1, name, name === "Pay" ? "failed" : "passed", { tags: ["a b"] })
    yield* ran(2, "Pay", "failed", { branch: "next" })
    yield* ran(3, "Map", "failed", {
      branch: "next",
      tags: ["smoke"],
      device: { name: "Pixel 9" }
    })
    const { main } = yield* shownAt(`${path}&tab=runs`, cookie)
    assert.deepStrictEqual(
      [...main.matchAll(/>(\d new failure|no new failures)</g)].map(([, count]) => count),
      ["1 new failure", "no new failures", "1 new failure"]
    )
    const tests = (query: string) =>
      Effect.map(shownAt(`${path}&tab=tests&branch=next&${query}`, cookie), (shown) =>
        ["Pay", "Map"].filter((name) => shown.leadsTo(name).length > 0)
      )
    assert.deepStrictEqual(yield* tests("tag=smoke"), ["Map"])
    assert.deepStrictEqual(yield* tests("device=Pixel+9"), ["Map"])
    assert.deepStrictEqual(yield* tests("tag=smo"), [])
  })

  it.effect("a page of tests and of CI runs continues on the next", function* () {
    const { cookie, path, ran } = yield* accountWithRuns()
    yield* Effect.forEach(
      Array.from({ length: 51 }, (_, n) => n),
      (n) => ran(n % 31, `Test ${n}`, n === 0 ? "failed" : "passed"),
      {
        concurrency: 8
      }
    )
    const { main: tests } = yield* shownAt(`${path}&tab=tests`, cookie)
    assert.match(tests, /^[^]*?<th scope="row"> <a [^>]*><bdi>Test 0</, "the broken test is first")
    for (const [tab, listed, on, next] of [
      ["tests", /<th scope="row">/g, [50, 1], "Next page"],
      ["runs", /<a href="\/sources\?/g, [30, 1], "Older"]
    ] as const) {
      const first = yield* shownAt(`${path}&tab=${tab}`, cookie)
      const after = first.leadsTo(next).find((href) => !href.includes("runsAfter")) ?? ""
      const second = yield* shownAt(after, cookie)
      assert.deepStrictEqual(
        [first, second].map(({ main }) => [...main.matchAll(listed)].length),
        [...on],
        tab
      )
    }
  })

  it.effect("the settings say which branch is the default, and why, and how many tests there are", function* () {
    const { admin } = yield* TestHost
    const { account, cookie, path, ran } = yield* accountWithRuns()
    const { name, owner, repo } = account
    yield* ran(1, "Pay", "passed", { branch: "trunk" })
    const settings = Effect.map(shownAt(`${path}&tab=settings`, cookie), ({ said }) => said)
    for (const fact of ["trunk", "chosen by Slipway", "1 of at most 10,000"]) assert.include(yield* settings, fact)
    yield* admin.linkRepository({ account: name, owner, repo, defaultBranch: "stable" })
    assert.match(yield* settings, /stable set by the operator/)
    assert.isUndefined(testsNotice(8999))
    assert.include(String(testsNotice(9000)), "9,000 of at most 10,000 different tests")
  })

  it.effect("a key for builds sees builds in place of test runs", function* () {
    const { key, owner, repo } = yield* newAccount(["builds"])
    const cookie = yield* signIn(key)
    const path = `/repositories?${new URLSearchParams({ owner, repo })}`
    for (const tab of ["overview", "tests", "runs"]) {
      assert.include((yield* shownAt(`${path}&tab=${tab}`, cookie)).said, "scope test_runs sees test runs.")
    }
    assert.include((yield* shownAt(path, cookie)).said, 'slipway-ci.tgz" upload build')
  })
})
