/** A failure in quarantine is shown as one, is never a pass, and is left out of conclusions. */
import { assert } from "@effect/vitest"
import { layer } from "../../../core/testing/layer.ts"
import { refuse, startFaultProxy } from "../../client/testing/front.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { TestHost } from "../../http/testing/TestHost.ts"
import { field } from "../settings/ciEnvironment.ts"
import { failed, tried, type Tried } from "../testing/commentRuns.ts"
import { temporaryFolder, write } from "../testing/folders.ts"

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** A checkout whose file quarantines the failed test of a name. */
const checkout = (name: string, expiresAt = inDays(10), more = "") => {
  const cwd = temporaryFolder()
  const entry = `{ kind: maestro, name: ${name}, file: "${failed.file}", reason: Waits, expiresAt: ${expiresAt}${more} }`
  write(cwd, "slipway-quarantine.yaml", `quarantines:\n  - ${entry}\n`)
  write(cwd, "app/index.js", "")
  return cwd
}

const json = (status: number, content: object) =>
  refuse(status, { "content-type": "application/json" }, JSON.stringify(content))

const fronted = (
  run: (all: Tried & { readonly front: Awaited<ReturnType<typeof startFaultProxy>> }) => Promise<void>
) =>
  tried(async (all) => {
    const front = await startFaultProxy(all.url)
    try {
      await run({ ...all, front })
    } finally {
      await front.close()
    }
  })

layer(TestHost.layer(inMemory))("quarantine", (it) => {
  it.effect("by the file of the checkout, the comment, the check and --fail-on show and leave out the failure", () =>
    tried(async ({ ci, github, program, register }) => {
      await register("A", failed)
      await register("C")
      const all = ["--format", "markdown", "--format", "check", "--format", "errors", "--fail-on", "failed"]
      const env = { SLIPWAY_COMMIT: "a".repeat(40) }
      // Also from a folder below the root.
      const { code, err, out } = await ci(all, env, `${checkout("A")}/app`)
      assert.strictEqual(code, 0)
      assert.include(err, "1 failure is quarantined, and left out of the conclusion.")
      assert.match(out, /^### Tests: 🔕 1 quarantined · ✅ 1 passed\n/)
      assert.match(out, /<b>Quarantined<\/b>: 1<\/summary>\n\n- \[A\]/)
      assert.notInclude(out, "::error")
      assert.include({ ...github.checks[0] }, { conclusion: "success", title: "🔕 1 quarantined · ✅ 1 passed" })
      // Another test, and one whose quarantine ended.
      for (const cwd of [checkout("B"), checkout("A", inDays(-1))]) {
        const again = await ci(all, env, cwd)
        assert.strictEqual(again.code, 1)
        assert.match(again.out, /^### Tests: ❌ 1 failed · ✅ 1 passed/)
      }
      assert.strictEqual(github.checks[0]?.conclusion, "failure")
      const listed = await program(["failed", "--source", "github:100"], {}, checkout("A"))
      assert.deepStrictEqual(listed, { code: 0, out: "", err: "0 tests failed.\n1 more failed in quarantine." })
    })
  )

  it.effect("an import leaves it out of --fail-on, and prints how many", () =>
    tried(async ({ program }) => {
      const cwd = checkout("A", inDays(10), ", platform: android")
      const one = (name: string) => `<testcase id="${name}" name="${name}" file="${failed.file}"><failure/></testcase>`
      const report = (...names: ReadonlyArray<string>) =>
        `<testsuites><testsuite name="Test Suite" device="Pixel 7 - Android 14">${names.map(one).join("")}</testsuite></testsuites>`
      for (const [names, code] of [
        [["A"], 0],
        [["A", "B"], 1]
      ] as const)
        for (const more of [["--dry-run"], []]) {
          write(cwd, "report.xml", report(...names))
          const ran = await program(["import", "maestro", "--fail-on", "failed", ...more, "report.xml"], {}, cwd)
          assert.strictEqual(ran.code, code)
          assert.include(ran.out, "✗ A (quarantined)")
          assert.include(ran.err, "1 failure is quarantined")
        }
    })
  )

  it.effect("by the host, it is left out too, unless the file ends it", () =>
    fronted(async ({ ci, client, front, owner, register, repo }) => {
      await register("A", failed)
      const { testRuns } = await client.testRuns.list({ org: owner, repo })
      const comment = async (cwd: string) => {
        front.next("GET", front.pass, json(200, { testRuns: testRuns.map((run) => ({ ...run, quarantined: true })) }))
        return ci(["--format", "markdown", "--fail-on", "new-failures"], { SLIPWAY_URL: front.url }, cwd)
      }
      const left = await comment("/")
      assert.strictEqual(left.code, 0)
      assert.match(left.out, /^### Tests: 🔕 1 quarantined\n/)
      assert.strictEqual((await comment(checkout("A", inDays(-1)))).code, 1)
    })
  )

  it.effect.each([
    ["quarantines: 1", "must have a list"],
    ["- kind: maestro", "must have a list"],
    ["quarantines: [{]", "is no YAML"],
    ["quarantines: [{ kind: maestro }]", "quarantines[0] needs name and reason and expiresAt."],
    ["quarantines: [{ kind: jest, name: A, reason: a, expiresAt: 2026-01-01 }]", "kind must be maestro or detox."],
    ["quarantines: [{ kind: maestro, name: 1 }]", "name must be a text of 1 to 1024 characters; quote it"],
    ["quarantines: [{ test: A }]", "quarantines[0].test is unknown"],
    [`quarantines: [{ kind: maestro, name: A, reason: a, expiresAt: ${inDays(91)} }]`, "at most 90 days from now"],
    ["quarantines: [{ kind: maestro, name: A, reason: a, expiresAt: soon }]", "expiresAt must be a time"]
  ] as const)("the file %j is refused", ([content, why]) =>
    tried(async ({ ci, register }) => {
      await register("A", failed)
      const cwd = temporaryFolder()
      write(cwd, "slipway-quarantine.yaml", content)
      const { code, err } = await ci(["--fail-on", "failed"], {}, cwd)
      assert.strictEqual(code, 2)
      assert.include(err, why)
    })
  )

  it.effect("the commands add, list and remove by the name of a test", () =>
    fronted(async ({ front, program, register }) => {
      const quarantine = async (...args: ReadonlyArray<string>) =>
        program(["quarantine", ...args], { SLIPWAY_URL: front.url }, "/")
      const record = {
        id: "ab".repeat(16),
        kind: "maestro",
        name: "A",
        reason: "Waits",
        expiresAt: inDays(14),
        expired: false,
        passesInARow: 2
      }
      await register("A", { ...failed, device: { platform: "ios" } })
      await register("A", { ...failed, device: { platform: "android" } })
      assert.include((await quarantine("add", "A", "--reason", "Waits")).err, 'Several tests are called "A"')
      let sent: unknown
      front.next("POST", (request, response) => {
        request.on("data", (chunk: Buffer) => void (sent = JSON.parse(String(chunk))))
        json(201, record)(request, response)
      })
      const added = await quarantine(
        "add",
        "A",
        "--reason",
        "Waits",
        "--platform",
        "ios",
        "--assignee",
        "ada",
        "--days",
        "3"
      )
      assert.strictEqual(added.code, 0, added.err)
      assert.match(added.out, /^TEST +UNTIL .*\nA .* Waits +2 in a row +host$/)
      const { file } = failed
      assert.deepStrictEqual(sent, {
        kind: "maestro",
        name: "A",
        file,
        platform: "ios",
        reason: "Waits",
        days: 3,
        owner: "ada"
      })
      front.next(
        "GET",
        json(200, { quarantines: [record], cursor: "c" }),
        json(200, { quarantines: [{ ...record, id: "b", name: "B" }] })
      )
      const { out } = await quarantine("list", "--json")
      assert.deepStrictEqual(field(JSON.parse(out), "quarantines", 1, "name"), "B")
      front.next("GET", json(200, { quarantines: [record] }))
      front.next("DELETE", refuse(204))
      assert.deepStrictEqual(await quarantine("remove", "A"), {
        code: 0,
        out: "",
        err: "The quarantine of A is removed."
      })
      assert.strictEqual(front.asked.at(-1)?.call, `DELETE /api/v1/quarantines/${record.id}`)
      front.next("GET", json(200, { quarantines: [] }))
      for (const args of [
        ["remove", "A"],
        ["add", "A"],
        ["add", "A", "--reason", "x", "--days", "91"],
        ["add", "None", "--reason", "x"]
      ])
        assert.strictEqual((await quarantine(...args)).code, 2, args.join(" "))
    })
  )
})
