/** The history that the demo begins with: services, pages and the API answer what was planned for it. */
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { layer } from "../../core/testing/layer.ts"
import { TestRunId } from "../../core/model/TestRun.ts"
import { lastWorkingDay } from "../../core/rules/testHistory.ts"
import { judged, medianChange, slowerShare, slowerSince } from "../../core/rules/testResults.ts"
import { testIdOf } from "../../core/rules/testRuns.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { Previews } from "../../core/service/Previews.ts"
import { Settings } from "../../core/service/Settings.ts"
import { TestHistories } from "../../core/service/TestHistories.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { createClient } from "../client/index.ts"
import { inMemory } from "../http/testing/engines.ts"
import { layerServer } from "../node/server.ts"
import { account, lastCiRuns, repository } from "./account.ts"
import {
  ciRunsOfMain,
  commitOfMain,
  commitOfPull,
  fleetTests,
  seedFleet,
  sourceOfMain,
  sourceOfPull,
  truth
} from "./fleet.ts"
import { breaking, demoTests, seedHistory } from "./history.ts"

const host = layerServer({
  engines: inMemory,
  secret: Redacted.make("test secret"),
  host: "127.0.0.1",
  port: 0,
  settings: {},
  shutdownTimeout: Duration.seconds(1)
})

const app = {
  entry: "index.js",
  bundleContentType: "text/javascript",
  isTransformed: true,
  bundle: Buffer.from("0"),
  files: []
} as const

/** A key of an account, which is made once, and the client of it. */
const accountOf = Effect.fnUntraced(function* (name: string) {
  const admin = yield* Administration
  const accounts = yield* admin.listAccounts()
  if (!accounts.some((one) => one.name === name)) yield* admin.createAccount({ name })
  const { key } = yield* admin.createKey({ account: name, name, scopes: ["builds", "preview_upload", "test_runs"] })
  const { url } = yield* Settings
  return { key, url, client: createClient({ url, key }) }
})

const named = { owner: "slipway", repo: "fleet" }
type Names = { readonly [Name in "app" | "name" | "platform"]?: string | undefined }
const keyOf = ({ app, name, platform }: Names): string => `${name} (${app}, ${platform})`
const keys = (tests: ReadonlyArray<Names>): Array<string> => tests.map(keyOf)

const unstable = [...truth.flaky, ...truth.intermittent]

/** How a text of HTML reads, without markup. */
const wordsOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim()

/** The items of a card, each with the test that it is of, as {@link keyOf} has it. */
const itemsOf = (page: string, card: string, item: string) => {
  const [, section = ""] = page.split(`<section class="card" aria-labelledby="${card}">`)
  const [content = ""] = section.split("</section>")
  return content
    .split(item)
    .slice(1)
    .map((markup) => {
      const words = wordsOf(markup)
      const test = fleetTests.find(
        ({ app, name, platform }) =>
          words.startsWith(name.length < 60 ? `${name} ` : name.slice(0, 59)) &&
          words.includes(`flows/${app}/`) &&
          RegExp(platform, "i").test(words)
      )
      return { words, href: /href="([^"]*)"/.exec(markup)?.[1] ?? "", test: test === undefined ? words : keyOf(test) }
    })
}

layer(host, { excludeTestServices: true })("the demo's history", (it) => {
  it.effect(
    "its first repository has twelve tests: one broken since a known commit, two flaky, one slowing down; and is made once",
    function* () {
      const { client, key } = yield* accountOf(account)
      yield* (yield* Administration).linkRepository({ account, ...repository })
      assert.strictEqual(yield* seedHistory(client, key, app), 729)
      assert.strictEqual(yield* seedHistory(client, key, app), 0)

      const caller = yield* (yield* Authorization).authenticate(Redacted.make(key))
      const histories = yield* TestHistories
      const { broken, ciRuns, defaultBranch, flaky } = yield* histories.repository(caller, repository)
      assert.deepStrictEqual([defaultBranch, ciRuns.length], ["main", 60])
      assert.deepStrictEqual(
        broken.map(({ name, summary }) => [name, summary.failingSince?.commitSha, summary.failuresInARow]),
        [["Reserving a slip", breaking.commitSha, breaking.ciRuns]]
      )
      const { failingSince, lastPassed } = broken[0]?.summary ?? {}
      for (const point of [failingSince, lastPassed]) {
        const { run } = yield* (yield* TestRuns).read(caller, TestRunId.make(point?.runId ?? ""))
        const { declaration } = yield* (yield* Previews).read(caller, run.previewShareId)
        assert.lengthOf(declaration.recordings, 5, run.status)
      }
      assert.sameMembers(
        flaky.map(({ name }) => name),
        ["Searching a slip by name", "Weather › updates while it is shown"]
      )
      const { tests } = yield* histories.list(caller, { ...repository, branch: "main" })
      assert.lengthOf(tests, demoTests.length)
      const slower = tests.filter(
        ({ summary: { earlierP50Ms = 0, recentP50Ms = 0 } }) => recentP50Ms > 1.3 * earlierP50Ms
      )
      assert.deepStrictEqual(
        slower.map(({ name }) => name),
        ["Slips › shows a picture of each boat"]
      )
      const { known } = yield* histories.failures(caller, { ...repository, source: lastCiRuns[1].source })
      assert.deepStrictEqual(
        known.map(([{ run }]) => run.name),
        ["Reserving a slip"]
      )
    }
  )

  it.effect(
    "a larger team is answered what was planned, by the services: what broke and when, what is flaky, what got slower, what a pull request breaks",
    function* () {
      const { client, key } = yield* accountOf("fleet")
      assert.strictEqual(
        yield* seedFleet(client, { key, app, account: "fleet" }),
        (ciRunsOfMain + truth.pulls.length) * fleetTests.length + 3
      )
      assert.strictEqual(yield* seedFleet(client, { key, app, account: "fleet" }), 0)

      const caller = yield* (yield* Authorization).authenticate(Redacted.make(key))
      const histories = yield* TestHistories
      const { broken, ciRuns, flaky } = yield* histories.repository(caller, named)
      assert.lengthOf(ciRuns, ciRunsOfMain)
      assert.sameDeepMembers(
        broken.map((test) => [
          keyOf(test),
          test.summary.failingSince?.commitSha,
          test.summary.lastPassed?.commitSha,
          test.summary.failuresInARow
        ]),
        truth.broken.map(({ since, test }) => [
          keyOf(test),
          commitOfMain(since).commitSha,
          commitOfMain(since - 1).commitSha,
          ciRunsOfMain - since
        ])
      )
      assert.sameMembers(
        keys(flaky),
        keys(unstable.filter(({ runs }) => runs.some((run) => run > 25)).map(({ test }) => test))
      )

      const pages = yield* Effect.forEach(
        [undefined, "failed", "flaky"] as const,
        Effect.fnUntraced(function* (which) {
          const query = {
            ...named,
            branch: "main",
            limit: 100,
            ...(which === "failed" ? { status: which } : {}),
            flaky: which === "flaky"
          }
          return (yield* histories.list(caller, query)).tests
        })
      )
      const [all = [], failed = [], everFlaky = []] = pages
      assert.sameMembers(keys(all), keys(fleetTests))
      assert.sameMembers(keys(failed), keys(truth.broken.map(({ test }) => test)))
      assert.sameMembers(keys(everFlaky), keys(unstable.map(({ test }) => test)))

      const numberOf = new Map(Array.from({ length: ciRunsOfMain }, (_, at) => [commitOfMain(at).commitSha, at]))
      const whole = yield* histories.findEach(
        caller,
        all.map(({ testId }) => testId),
        "main"
      )
      const slower = whole.flatMap((test) => {
        const since = slowerSince(judged(test.results))
        return since === undefined || (medianChange(test.summary) ?? 0) < slowerShare
          ? []
          : [
              {
                test: keyOf(test),
                from: numberOf.get(since.from.commitSha ?? ""),
                to: numberOf.get(since.to.commitSha ?? "")
              }
            ]
      })
      assert.sameDeepMembers(
        slower,
        truth.slower.map(({ since, test }) => ({ test: keyOf(test), from: since, to: since }))
      )

      for (const { added, after, flakyOnMain, pr } of truth.pulls) {
        const failures = yield* histories.failures(caller, { ...named, source: sourceOfPull(pr) })
        const of = (tests: typeof failures.new) =>
          tests.map(
            ([
              {
                run: { app, device, name }
              }
            ]) => keyOf({ name, app, platform: device?.platform })
          )
        assert.sameMembers(of(failures.new), keys([...added, ...flakyOnMain]), `new in #${pr}`)
        assert.sameMembers(
          of(failures.new.filter(([{ run }]) => failures.flakyOnBase.has(testIdOf(run)))),
          keys(flakyOnMain),
          `flaky in #${pr}`
        )
        assert.sameMembers(
          of(failures.known),
          keys(truth.broken.filter(({ since }) => since <= after).map(({ test }) => test)),
          `known in #${pr}`
        )
      }
      const newest = yield* histories.failures(caller, { ...named, source: sourceOfMain(ciRunsOfMain - 1) })
      assert.lengthOf(newest.new, 0)
      assert.lengthOf(newest.known, truth.broken.length)
    }
  )

  it.effect("pages and the API answer the same", function* () {
    const { client, key, url } = yield* accountOf("fleet")
    yield* seedFleet(client, { key, app, account: "fleet" })
    const cookie = yield* Effect.promise(async () => {
      const body = new URLSearchParams({ key, to: "/" })
      const { headers } = await fetch(`${url}/sign-in`, { method: "POST", body, redirect: "manual" })
      return headers.getSetCookie()[0]?.split(";")[0] ?? ""
    })
    const read = (path: string) =>
      Effect.promise(async () => {
        const response = await fetch(url + path.replaceAll("&amp;", "&"), {
          headers: path.startsWith("/api/") ? { authorization: `Bearer ${key}` } : { cookie }
        })
        assert.strictEqual(response.status, 200, path)
        return response.text()
      })
    const repositoryPage = (more = {}) => `/repositories?${new URLSearchParams({ ...named, ...more })}`
    const short = (number: number) => commitOfMain(number).commitSha.slice(0, 7)

    // Which commit broke what: the newest break first, and what is new since the last working day.
    const newestFirst = truth.broken.toSorted((a, b) => b.since - a.since)
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    const startOf = (number: number) => now - (ciRunsOfMain - 1 - number) * 12 * 3_600_000 - 3_600_000
    const newSince = DateTime.toEpochMillis(lastWorkingDay(yield* DateTime.now))
    const [added, before] = [true, false].map((isNew) =>
      newestFirst.filter(({ since }) => startOf(since) >= newSince === isNew)
    )
    const assertBreaks = (items: ReturnType<typeof itemsOf>, planned = newestFirst) => {
      assert.deepStrictEqual(
        items.map(({ test }) => test),
        keys(planned.map(({ test }) => test))
      )
      for (const [at, { message, since }] of planned.entries()) {
        const { author, commitMessage } = commitOfMain(since)
        const words = items[at]?.words ?? ""
        for (const said of [
          message,
          `Broken since ${short(since)} ,`,
          `${commitMessage} , by ${author} `,
          `last passed at ${short(since - 1)} `
        ]) {
          assert.include(words, said)
        }
      }
    }
    const overview = yield* read(repositoryPage())
    const oldest = Math.min(...truth.broken.map(({ since }) => since))
    assert.include(wordsOf(overview), `4 tests are broken on main , the first since ${short(oldest)} ,`)
    assertBreaks(itemsOf(overview, "new", '<div class="who-what">'), added)
    assertBreaks(itemsOf(overview, "broken", '<div class="who-what">'), before)
    assertBreaks(itemsOf(yield* read("/"), "new", '<div class="who-what">'), added)
    assert.match(wordsOf(yield* read("/")), /slipway.fleet main broken 4 flaky this week 4/)
    assertBreaks(itemsOf(yield* read(repositoryPage({ days: "30" })), "new", '<div class="who-what">'))

    // Messages of Maestro's assertions are one group only if they name the same text.
    const groups = itemsOf(overview, "messages", "<li>").map(({ words }) => words)
    const messages = Map.groupBy(truth.broken, ({ message }) => message)
    assert.lengthOf(groups, messages.size)
    for (const [message, { length }] of messages) {
      const count = length === 1 ? "1 test fails with:" : `${length} tests fail with:`
      assert.isTrue(
        groups.some((words) => words.startsWith(`${count} ${message.replace("0", "…")} `)),
        message
      )
    }

    // Which tests are flaky, and how.
    const flaky = itemsOf(overview, "flaky", '<div class="who-what">')
    const recently = unstable.filter(({ runs }) => runs.some((run) => startOf(run) > now - 7 * 86_400_000))
    assert.sameMembers(
      flaky.map(({ test }) => test),
      keys(recently.map(({ test }) => test))
    )
    for (const { runs, test } of truth.flaky) {
      const words = flaky.find((one) => one.test === keyOf(test))?.words
      assert.include(words, `of its last 40 results (${runs.length}) `)
      assert.notInclude(words, "intermittent")
    }
    for (const { runs, test } of truth.intermittent) {
      const words = flaky.find((one) => one.test === keyOf(test))?.words
      assert.include(words, ` intermittent: failed in ${runs.length} of its last 40 results`)
      assert.notInclude(words, "flaky in")
    }

    // The tests tab, and the page of each test.
    const rows = Effect.fnUntraced(function* (more: Record<string, string>) {
      const pages = [yield* read(repositoryPage({ tab: "tests", ...more }))]
      for (let next; (next = /href="([^"]*)" rel="next"/.exec(pages.at(-1) ?? "")?.[1]) !== undefined;) {
        pages.push(yield* read(next))
      }
      return pages.flatMap((page) => itemsOf(page, "tests", '<th scope="row">'))
    })
    const isNamed = (items: ReturnType<typeof itemsOf>) => items.map(({ test }) => test)
    const all = yield* rows({})
    assert.sameMembers(isNamed(all), keys(fleetTests))
    assert.sameMembers(isNamed(all.slice(0, truth.broken.length)), keys(truth.broken.map(({ test }) => test)))
    assert.sameMembers(isNamed(yield* rows({ status: "failed" })), keys(truth.broken.map(({ test }) => test)))
    assert.sameMembers(isNamed(yield* rows({ flaky: "yes" })), keys(unstable.map(({ test }) => test)))
    for (const { href, test } of all) {
      const words = wordsOf(yield* read(href))
      const find = <A extends { readonly test: Names }>(planned: ReadonlyArray<A>) =>
        planned.find((one) => keyOf(one.test) === test)
      const [broken, slower] = [find(truth.broken), find(truth.slower)]
      const first = broken && `First failed at ${short(broken.since)} ,`
      const end = broken && `; last passed at ${short(broken.since - 1)} . Failed ${ciRunsOfMain - broken.since} times`
      for (const said of first === undefined ? [] : [first, end ?? ""]) assert.include(words, said, test)
      if (broken === undefined) assert.include(words, "Passed last on main", test)
      assert.strictEqual(words.includes("intermittent: failed in"), find(truth.intermittent) !== undefined, test)
      assert.strictEqual(/, flaky in \d+ of 40 results/.test(words), find(truth.flaky) !== undefined, test)
      assert.strictEqual(
        /slower than before: .*?It (?:is slower since|became slower between) (\w+)/.exec(words)?.[1],
        slower && short(slower.since),
        test
      )
    }

    // What a pull request breaks, and the app of its commit.
    const listed = yield* Effect.promise(() =>
      client.tests.list({ org: named.owner, repo: named.repo, branch: "main", limit: 100 })
    )
    const idOf = (one: Names) =>
      listed.tests.find(({ app, device, name }) => keyOf({ app, name, platform: device }) === keyOf(one))?.id
    const ids = (tests: ReadonlyArray<Names>) => tests.map(idOf)
    for (const { added, after, flakyOnMain, pr } of truth.pulls) {
      const known = truth.broken.filter(({ since }) => since <= after).map(({ test }) => test)
      const page = yield* read(`/sources?${new URLSearchParams({ ...named, source: sourceOfPull(pr) })}`)
      const shown = (card: string) => itemsOf(page, card, '<span class="name">')
      const namesIn = (card: string) =>
        shown(card).map(({ words }) => [words.split(" Maestro · ")[0], /flows\/(\w+)/.exec(words)?.[1]].join())
      const planned = (tests: ReadonlyArray<Names>) => tests.map(({ app, name }) => [name, app].join())
      assert.sameMembers(namesIn("new"), planned(added), `new in #${pr}`)
      assert.sameMembers(namesIn("new-but-flaky"), planned(flakyOnMain), `new, but flaky in #${pr}`)
      assert.sameMembers(namesIn("known"), planned(known), `known in #${pr}`)
      for (const { words } of shown("new-but-flaky")) assert.match(words, /flaky on main \(\d of the last \d\d\)/)
      for (const built of ["customer iOS", "customer Android", "skipper iOS", "skipper Android"]) {
        const [, path = ""] = RegExp(`href="([^"]*/builds/[^"]*)"\\s*><bdi\\s*>${built} build</bdi`).exec(page) ?? []
        const [, platform = ""] = built.split(" ")
        const build = wordsOf(yield* read(path))
        assert.include(build, `${platform} build of ${commitOfPull(pr).branch}`.slice(0, 70))
        assert.include(build, commitOfPull(pr).commitSha.slice(0, 7))
      }
      const answer = yield* Effect.promise(() =>
        client.sources.read(sourceOfPull(pr), { org: named.owner, repo: named.repo })
      )
      assert.sameMembers([...answer.new], ids([...added, ...flakyOnMain]))
      assert.sameMembers([...answer.known], ids(known))
      assert.sameMembers(
        answer.flakyOnBase.map(({ id }) => id),
        ids(flakyOnMain)
      )
    }
    const failed = listed.tests.filter(({ lastStatus }) => lastStatus === "failed")
    assert.sameDeepMembers(
      failed.map(({ failingSince, id, lastPassed }) => [id, failingSince?.commitSha, lastPassed?.commitSha]),
      truth.broken.map(({ since, test }) => [
        idOf(test),
        commitOfMain(since).commitSha,
        commitOfMain(since - 1).commitSha
      ])
    )
    assert.sameMembers(
      listed.tests.filter(({ flaky }) => flaky).map(({ id }) => id),
      ids(unstable.map(({ test }) => test))
    )
  })
})
