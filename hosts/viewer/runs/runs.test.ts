/** The trace of a run as served, before any script runs: its steps, its failure, and links to other runs. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { importedEntry } from "../../../core/rules/imports.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { bytes, commit, readyBuild } from "../../http/testing/uploads.ts"
import { registerRun, uploadPreview } from "../testing/previews.ts"
import { eventsOf, packed, picture, recordedRun, runAccount, stepLine, type Recording } from "../testing/runs.ts"
import { signIn, unescaped, visit, withoutOwnScripts } from "../testing/visit.ts"

const failedEvents = eventsOf([
  stepLine(0, "Launch", "started"),
  stepLine(400, "Launch", "passed"),
  JSON.stringify({ t: 450, type: "network", name: "GET /cart", status: "500" }),
  stepLine(500, "Pay", "started"),
  stepLine(2900, "Pay", "failed", { message: "Pay was not found" }),
  stepLine(2900, "Sign out", "skipped")
])

const failed = {
  status: "failed",
  stepCount: 3,
  failedStepIndex: 1,
  durationMs: 3000,
  failureMessage: "Timed out\n  at e2e/pay.test.js:7",
  prompt: "Open the settings\nand look for feet",
  kind: "detox",
  pr: 12,
  startedAt: "2026-03-04T05:06:07.000Z"
}

const page = Effect.fnUntraced(function* (key: string, path: string) {
  const answer = yield* visit("GET", path, { cookie: yield* signIn(key) })
  return { ...answer, shown: unescaped(withoutOwnScripts(answer.text)) }
})

/** The steps on a page: the name of each, and whether it is open. */
const stepsOf = (html: string): ReadonlyArray<readonly [name: string, isOpen: boolean]> => {
  const list = /<ol class="scroll">([\s\S]*?)<\/ol>/.exec(html)?.[1] ?? ""
  return list
    .split("</li>")
    .slice(0, -1)
    .map((item) => [/<bdi class="what">([\s\S]*?)<\/bdi>/.exec(item)?.[1] ?? "", /<details open>/.test(item)])
}

layer(TestHost.layer(inMemory))("traces", (it) => {
  it.effect("an imported run, which has no app, opens the build of its commit, platform and app", function* () {
    const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
    const { owner, repo } = account
    const { shareId } = yield* uploadPreview(account, { owner, repo, entry: importedEntry })
    const of = { branch: "main", commitSha: commit(1) }
    const run = yield* registerRun(account, {
      ...of,
      previewShareId: shareId,
      name: "Pay",
      status: "failed",
      device: { platform: "ios" }
    })
    const opened = Effect.map(page(account.key, `/runs/${run.id}`), ({ text }) =>
      Array.from(text.matchAll(/href="([^"]*)">Open the (build|preview)</g), ([, path, name]) => [name, path])
    )
    yield* readyBuild(account, { ...of, owner, repo, platform: "android" })
    yield* readyBuild(account, { ...of, owner, repo, platform: "ios", commitSha: commit(2) })
    assert.deepStrictEqual(yield* opened, [])
    const preview = yield* uploadPreview(account, { owner, repo, platform: "ios", commitSha: commit(1) })
    assert.deepStrictEqual(yield* opened, [["preview", `/previews/${preview.shareId}`]])
    const { row } = yield* readyBuild(account, { ...of, owner, repo, platform: "ios" })
    assert.deepStrictEqual(yield* opened, [["build", `/builds/${row.id}`]])
  })

  it.effect("a failed run shows its steps, the failing one open with its message, without a script", function* () {
    const account = yield* runAccount
    const shot: Recording = {
      name: "cart.gif",
      kind: "screenshot",
      contentType: "image/gif",
      bytes: picture,
      startedAtMs: 600
    }
    const log: Recording = { name: "device.log", kind: "log", contentType: "text/plain", bytes: bytes("one\n") }
    const run = yield* recordedRun(account, [failedEvents, shot, log], failed)
    const { headers, shown, status, text } = yield* page(account.key, `/runs/${run.id}`)
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(stepsOf(shown), [
      ["Launch", false],
      ["Pay", true],
      ["Sign out", false]
    ])
    for (const fact of [
      ">Timed out\n  at e2e/pay.test.js:7</pre>",
      "\nPay was not found</pre>",
      "failed, from 0:00.500 to 0:02.900, 2.4 s",
      "2 of 3",
      "Detox",
      "Open the settings\nand look for feet",
      "#12",
      "<dt>Pull request</dt>",
      "<dt>Started</dt>",
      "2026-03-04 05:06 UTC",
      run.traceUrl,
      run.previewUrl,
      'href="#t=2.9"',
      "0:00.600",
      "cart.gif",
      "device.log",
      "events.jsonl"
    ]) {
      assert.include(shown, fact)
    }
    assert.lengthOf([...shown.matchAll(/<rect class="(?:passed|failed|skipped)"/g)], 3, "the timeline")
    const policy = headers.get("content-security-policy") ?? ""
    assert.notInclude(policy, "unsafe")
    assert.match(policy, /script-src [^;]*\/viewer-assets\/trace-[\da-f]+\.js/)
    assert.notMatch(withoutOwnScripts(text), /<script| style=| on[a-z]+=/)
  })

  it.effect(
    "a run without a message says what its events say of the failure, and leads to its repository",
    function* () {
      const account = yield* runAccount
      const run = yield* recordedRun(account, [failedEvents], { status: "failed" })
      const { shown } = yield* page(account.key, `/runs/${run.id}`)
      assert.match(shown, /aria-labelledby="failure">Pay was not found<\/pre>/)
      assert.notInclude(shown, "No message was registered.")
      assert.include(shown, `href="/repositories?owner=${account.owner}&repo=${account.repo}"`)
      const silent = yield* recordedRun(account, [], { status: "failed" })
      assert.include((yield* page(account.key, `/runs/${silent.id}`)).shown, "No message was registered.")
    }
  )

  it.effect("a run shows its device, file, tags and attempts, and that it is flaky", function* () {
    const account = yield* runAccount
    const run = yield* recordedRun(account, [], {
      device: { name: "iPhone <16>", platform: "ios", osVersion: "18.2" },
      attempts: [{ status: "failed", durationMs: 2500, failureMessage: "No <button>\n  at pay" }, { status: "passed" }],
      file: "flows/pay.yaml",
      tags: ["smoke", "pay"],
      commitMessage: "Pay <by> card\n\nsecond line",
      author: "Zoë <b>",
      base: "release",
      job: "e2e <2>"
    })
    const { shown, text } = yield* page(account.key, `/runs/${run.id}`)
    assert.notInclude(text, "iPhone <16>")
    for (const fact of [
      "iPhone <16>, ios 18.2",
      "flows/pay.yaml",
      ">smoke<",
      ">pay<",
      "<bdi>Pay <by> card</bdi> · ",
      "by <bdi>Zoë <b></bdi>",
      "Pay <by> card\n\nsecond line",
      ">release<",
      "e2e <2>",
      "2.5 s",
      "No <button>\n  at pay</pre>",
      ">Flaky<"
    ]) {
      assert.include(shown, fact)
    }
    assert.match(shown, /Attempts <span class="count">2</)
    const list = `/repositories?${new URLSearchParams({ owner: account.owner, repo: account.repo, tab: "runs" })}`
    assert.include((yield* page(account.key, list)).shown, ">Flaky<")
    const once = yield* recordedRun(account, [], { device: {}, attempts: [{ status: "passed" }], tags: [] })
    assert.notMatch((yield* page(account.key, `/runs/${once.id}`)).shown, />(?:Flaky|Device|Tags|File|Attempts)/)
  })

  it.effect("the page of a source counts its runs, failed ones first, and shows those of no other", function* () {
    const account = yield* runAccount
    const source = "github:4711 & more"
    const attempts = [{ status: "failed" }, { status: "passed" }]
    const made = [
      yield* recordedRun(account, [], { source, name: "Fine" }),
      yield* recordedRun(account, [], { source, name: "Broken", status: "failed", attempts }),
      yield* recordedRun(account, [], { source, name: "Shaky", attempts }),
      yield* recordedRun(account, [], { source, name: "Fine too" })
    ]
    const elsewhere = yield* recordedRun(account, [], { source: "github:4712", name: "Other" })
    const path = `/sources?${new URLSearchParams({ owner: account.owner, repo: account.repo, source })}`
    assert.include((yield* page(account.key, `/runs/${made[0]?.id}`)).shown, `href="${path}"`)
    const { shown, status } = yield* page(account.key, path)
    assert.strictEqual(status, 200)
    for (const count of [">1 failed<", ">1 flaky<", ">2 passed<"]) assert.include(shown, count)
    assert.deepStrictEqual(
      [...shown.matchAll(/href="\/runs\/([^"]+)"/g)].map(([, id]) => id),
      [1, 2, 3, 0].map((at) => made[at]?.id)
    )
    assert.notInclude(shown, elsewhere.id)
    const stranger = yield* runAccount
    assert.strictEqual((yield* page(stranger.key, path)).status, 404)
    assert.strictEqual((yield* page(account.key, path.replace(/source=.*/, ""))).status, 404)
  })

  it.effect("the pages list the latest attempt of each test in a CI run, with links to earlier ones", function* () {
    const account = yield* runAccount
    const registered = (name: string, source: string, fields: Record<string, unknown> = {}) =>
      recordedRun(account, [], { name, source, ...fields })
    const pay = yield* registered("Pay", "github:4711/1", { status: "failed" })
    const cart = yield* registered("Cart", "github:4711/1")
    const payAgain = yield* registered("Pay", "github:4711/2")
    const repository = new URLSearchParams({ owner: account.owner, repo: account.repo })
    const listed = (shown: string) => [...shown.matchAll(/<li>\s*<a href="\/runs\/([^"]+)"/g)].map(([, id]) => id)
    const earlier = `<a href="/runs/${pay.id}">attempt 1: failed</a>`

    for (const source of ["github:4711", "github:4711/1", "github:4711/2"]) {
      const { shown } = yield* page(account.key, `/sources?${repository}&source=${encodeURIComponent(source)}`)
      for (const count of [">0 failed<", ">1 flaky<", ">1 passed<"]) assert.include(shown, count, source)
      assert.deepStrictEqual(listed(shown), [payAgain.id, cart.id])
      assert.include(shown, earlier)
    }
    const { shown } = yield* page(account.key, `/repositories?${repository}&tab=runs`)
    assert.deepStrictEqual(listed(shown), [payAgain.id, cart.id])
    assert.include(shown, earlier)
    const failing = yield* page(account.key, `/repositories?${repository}&status=failed`)
    assert.deepStrictEqual(listed(failing.shown), [])
    assert.include(failing.shown, "Later attempts replaced all runs of this page.")

    const first = yield* page(account.key, `/runs/${pay.id}`)
    assert.match(first.shown, /A later attempt of this CI run replaced this run:\s+<a[^>]+>attempt 2: passed<\/a>/)
    assert.include(first.shown, `href="/runs/${payAgain.id}">attempt 2: passed<`)
    const second = yield* page(account.key, `/runs/${payAgain.id}`)
    assert.notInclude(second.shown, "replaced this run")
    assert.match(
      second.shown,
      /CI run">\s*<a[^>]+>attempt 1\s+<span class="failed">[^]*<a[^>]+aria-current="page"\s*>attempt 2\s/
    )
    assert.notInclude((yield* page(account.key, `/runs/${cart.id}`)).shown, "Attempts in this CI run")
  })

  it.effect("steps are read from gzip as well, on the clock that the recordings share", function* () {
    const account = yield* runAccount
    const run = yield* recordedRun(account, [packed({ ...failedEvents, startedAtMs: 1000 })], failed)
    const { shown } = yield* page(account.key, `/runs/${run.id}`)
    assert.lengthOf(stepsOf(shown), 3)
    assert.include(shown, "failed, from 0:01.500 to 0:03.900, 2.4 s")
  })

  it.effect("a page with very many events shows their beginning, with a note", function* () {
    const account = yield* runAccount
    const lines = Array.from({ length: 700 }, (_, index) => stepLine(index, `tap ${index}`, "passed"))
    const long = Array.from({ length: 20_000 }, (_, index) =>
      JSON.stringify({ t: 700 + index, type: "network", name: `GET /${"x".repeat(80)}/${index}` })
    )
    const many = yield* recordedRun(account, [eventsOf(lines)])
    const steps = yield* page(account.key, `/runs/${many.id}`)
    assert.lengthOf(stepsOf(steps.shown), 500)
    assert.match(steps.shown, /500 and more/)
    const late = yield* recordedRun(account, [
      eventsOf([...lines.slice(0, 5), ...long, stepLine(30_000, "too late", "failed")])
    ])
    const events = yield* page(account.key, `/runs/${late.id}`)
    assert.lengthOf(stepsOf(events.shown), 5)
    assert.match(events.shown, /5 and more/)
    assert.isBelow(events.text.length, 100_000)
  })

  it.effect("invalid events and broken gzip don't break the page", function* () {
    const account = yield* runAccount
    const whole = packed(failedEvents)
    const broken = { ...whole, bytes: whole.bytes.slice(0, 60) }
    const noise = eventsOf(["\u0000\u0001", "[[[[", '{"t":', "null"])
    for (const recording of [broken, noise, { ...whole, bytes: bytes("\u001f\u008b") }]) {
      const run = yield* recordedRun(account, [recording], failed)
      const { shown, status } = yield* page(account.key, `/runs/${run.id}`)
      assert.strictEqual(status, 200)
      assert.include(shown, "Timed out")
      assert.deepStrictEqual(stepsOf(shown), [])
    }
  })

  it.effect("a run leads to those of its name before and after it, and beside the last that passed", function* () {
    const account = yield* runAccount
    const passed = yield* recordedRun(account, [])
    const broken = yield* recordedRun(account, [], {
      status: "failed",
      branch: "feature/pay",
      commitSha: "b0a7f001".repeat(5)
    })
    const other = yield* recordedRun(account, [], { name: "Another" })
    // A test of this name on another platform is another test.
    yield* recordedRun(account, [], { device: { platform: "android", name: "Pixel 9" } })
    const last = yield* recordedRun(account, [], { status: "failed" })
    const first = yield* page(account.key, `/runs/${passed.id}`)
    assert.notInclude(first.text, 'rel="prev"')
    assert.include(first.text, `href="/runs/${broken.id}" rel="next"`)
    assert.include(unescaped(first.text), `class="button" href="/compare?left=${passed.id}&right=${broken.id}"`)
    assert.include(first.text, "Compare with the next run, which failed")
    const middle = yield* page(account.key, `/runs/${broken.id}`)
    assert.include(middle.text, `href="/runs/${passed.id}" rel="prev"`)
    assert.include(middle.text, `href="/runs/${last.id}" rel="next"`)
    const end = yield* page(account.key, `/runs/${last.id}`)
    assert.include(end.text, `href="/runs/${broken.id}" rel="prev"`)
    assert.notInclude(end.text, 'rel="next"')
    assert.include(unescaped(end.text), `/compare?left=${passed.id}&right=${last.id}`)
    assert.include(end.text, "Compare with the last one that passed")
    assert.deepStrictEqual(
      [...end.text.matchAll(/<option value="([^"]+)">(?:Passed|Failed),/g)].map(([, id]) => id),
      [broken.id, passed.id]
    )
    assert.match(end.text, /<option value="[^"]+">Failed, [-\d]+ [:\d]+ UTC on feature\/pay at b0a7f00<\/option>/)
    const alone = yield* page(account.key, `/runs/${other.id}`)
    assert.notMatch(alone.text, /rel="(?:prev|next)"|\/compare\?/)
  })

  it.effect("the steps of a run are played on other previews of its account, by keys that may read both", function* () {
    const { admin } = yield* TestHost
    const [account, stranger] = [yield* runAccount, yield* runAccount]
    const steps = eventsOf([stepLine(0, "Tap on the berth", "passed", { command: { tapOn: "Berth 7" } })])
    const run = yield* recordedRun(account, [steps], { status: "failed" })
    const previewOf = (one: { readonly previewUrl: string }) => new URL(one.previewUrl).pathname
    const [ofAccount, ofStranger] = [yield* recordedRun(account, []), yield* recordedRun(stranger, [])].map(previewOf)
    const { key } = yield* admin.createKey({ account: account.name, name: "previews", scopes: ["preview_upload"] })
    for (const [who, path, isPlayed] of [
      [account.key, ofAccount, true],
      [key, ofAccount, false],
      [stranger.key, ofStranger, false]
    ] as const) {
      const { text } = yield* page(who, `${path}?steps=${run.id}`)
      assert.strictEqual(unescaped(text).includes("- tapOn: Berth 7"), isPlayed)
    }
    assert.notInclude((yield* page(account.key, `${ofAccount}?steps=nothing`)).text, "Berth 7")
  })

  it.effect("a key that may not see previews sees the run without what was recorded", function* () {
    const account = yield* runAccount
    const host = yield* TestHost
    const run = yield* recordedRun(account, [failedEvents], failed)
    const { key } = yield* host.admin.createKey({ account: account.name, name: "runs", scopes: ["test_runs"] })
    const { text } = yield* page(key, `/runs/${run.id}`)
    assert.include(text, "Timed out")
    assert.notMatch(text, /id="trace"|preview-objects|Pay was not found/)
  })
})
