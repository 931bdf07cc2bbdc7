import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "../../core/testing/layer.ts"
import { toResponse, Transport, type Outgoing } from "../session/transport.ts"
import { exampleTarget } from "../testing/example.ts"
import { cleanUp } from "./plan.ts"

const build = "https://service.example/builds/b%201"
const ledger = [
  { check: "builds.finalize.created", what: "build", id: build, url: build },
  { check: "builds.files", what: "build", id: build, url: build },
  { check: "previews.reserve.answer", what: "preview", id: "p1" },
  { check: "runs.register.stored", what: "testRun", id: "https://view.example/traces/t1?open=1" }
] as const

/** A target that answers each removal so, and can still read what is like this. */
const removing = (answer: (request: Outgoing) => number, readable = /^nothing/) => {
  const asked: Array<string> = []
  const send = (request: Outgoing) =>
    Effect.sync(() => {
      if (request.method === "GET") return toResponse(readable.test(request.url) ? 200 : 404, {}, "{}")
      asked.push(`${request.method} ${new URL(request.url).pathname} ${request.headers["authorization"] ?? ""}`)
      return toResponse(answer(request), {}, "")
    })
  return { asked, layer: Layer.succeed(Transport, Transport.of({ send })) }
}

const path = (name: string) => ({ method: "DELETE", path: `/admin/${name}/{id}` })
const requests = { build: path("builds"), preview: path("previews"), testRun: path("runs") }

describe("what a run made", () => {
  it.effect("is deleted by requests, each resource once, those first that point at others", () => {
    const { asked, layer } = removing(() => 204)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* cleanUp(exampleTarget, { requests }, ledger), { removed: 3, left: [] })
      assert.deepStrictEqual(asked, [
        "DELETE /admin/runs/t1 Bearer key_of-a-with-all",
        "DELETE /admin/previews/p1 Bearer key_of-a-with-all",
        "DELETE /admin/builds/b%201 Bearer key_of-a-with-all"
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is removed by account b's key where a's is refused, and what remains is reported with the reason", () => {
    const { layer } = removing(({ headers, url }) =>
      url.includes("/previews/") ? (headers["authorization"]?.includes("of-b") === true ? 200 : 404) : 403
    )
    return Effect.gen(function* () {
      const { build, preview } = requests
      const { left, removed } = yield* cleanUp(exampleTarget, { requests: { build, preview } }, ledger)
      assert.strictEqual(removed, 1)
      assert.deepStrictEqual(left, ["testRun t1: the config has no request for it", "build b 1: answered 403"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is what answers call it, and is reported where it can still be read or its id isn't known", () => {
    const { asked, layer } = removing(() => 204, /builds\/b-2$/)
    return Effect.gen(function* () {
      const made = (id: string, url: string) => ({ check: "builds.reserve.url", what: "build", id, url }) as const
      const named = [made("b-1", "https://view.example/acme/1"), made("b-2", "https://view.example/acme/2")]
      const nameless = made("https://view.example/acme/3", "https://view.example/acme/3")
      const { left, removed } = yield* cleanUp(exampleTarget, { requests }, [...named, nameless])
      assert.strictEqual(removed, 1)
      assert.deepStrictEqual(left, [
        "build b-2: it can still be read after its removal",
        "build https://view.example/acme/3: no answer had its id; bind it in `bindings.answers` where a reservation has it"
      ])
      assert.lengthOf(asked, 2)
    }).pipe(Effect.provide(layer))
  })

  it.live("is passed to a command, a line for each resource", () => {
    const folder = mkdtempSync(join(tmpdir(), "slipway-clean-up-"))
    const file = join(folder, "input")
    const script = `process.stdin.pipe(require("node:fs").createWriteStream(${JSON.stringify(file)}))`
    return Effect.gen(function* () {
      const done = yield* cleanUp(exampleTarget, { command: [process.execPath, "-e", script] }, ledger)
      assert.deepStrictEqual(done, { removed: 3, left: [] })
      const lines = readFileSync(file, "utf8").trimEnd().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).what),
        ["testRun", "preview", "build"]
      )
      for (const [command, sentence] of [
        [[process.execPath, "-e", "process.exit(3)"], /3 resources: the command .* failed, it ended with 3/],
        [[join(folder, "none")], /failed, .*ENOENT/]
      ] as const) {
        const { left, removed } = yield* cleanUp(exampleTarget, { command }, ledger)
        assert.strictEqual(removed, 0)
        assert.match(left[0] ?? "", sentence)
      }
    }).pipe(
      Effect.provide(removing(() => 500).layer),
      Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
    )
  })
})
