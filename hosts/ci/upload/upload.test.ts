/** Uploads by the program to a real host: what is hosted, printed and refused. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { createClient, type Build, type Preview } from "../../client/index.ts"
import {
  expoFolder,
  expoScript,
  hermesFolder,
  reactNativeFolder,
  temporaryFolder,
  webFolder,
  write
} from "../testing/folders.ts"
import { layer } from "../../../core/testing/layer.ts"
import { runCi, type Ran } from "../testing/runCi.ts"

const commit = "ab".repeat(20)

/** Runs the program as an account, on `main` of its repository. */
const account = Effect.fnUntraced(function* (scopes: Parameters<typeof newAccount>[0] = ["builds", "preview_upload"]) {
  const { url } = yield* TestHost
  const { key, owner, repo } = yield* newAccount(scopes)
  const env = {
    SLIPWAY_URL: url,
    SLIPWAY_KEY: key,
    SLIPWAY_OWNER: owner,
    SLIPWAY_REPO: repo,
    SLIPWAY_BRANCH: "main",
    SLIPWAY_COMMIT: commit
  }
  const ci = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}): Promise<Ran> =>
    runCi(args, { env: { ...env, ...more } })
  return { ci, client: createClient({ url, key }), key, owner, repo, url }
})

layer(TestHost.layer(inMemory))("upload", (it) => {
  it.effect("exits 1 if the app exceeds a budget, and uploads it all the same", function* () {
    const { ci } = yield* account()
    yield* Effect.promise(async () => {
      const folder = temporaryFolder()
      write(folder, "main.jsbundle", "x".repeat(2000))
      write(folder, "assets/a.png", "x".repeat(1500))
      const upload = (...budgets: ReadonlyArray<string>) =>
        ci(["upload", "build", folder, "--platform", "ios", ...budgets.flatMap((text) => ["--budget", text])])
      const within = await upload("bundle=2kB", "total=3.5kB")
      assert.strictEqual(within.code, 0, within.err)
      const over = await upload("bundle=1.9kB", "total=3MiB")
      assert.strictEqual(over.code, 1)
      assert.strictEqual(over.out, within.out)
      assert.include(over.err, "The bundle has 2 KiB, more than --budget bundle=1.9kB.")
      assert.notInclude(over.err, "total=")
      assert.strictEqual((await upload("total=3.4kB", "bundle=1MB")).code, 1)
      const wrong = await upload("app=2MB")
      assert.strictEqual(wrong.code, 2)
      assert.include(wrong.err, "--budget must be like bundle=2MB")
    })
  })

  it.effect("names the setting that limits files before it sends a request", function* () {
    const { ci } = yield* account()
    yield* Effect.promise(async () => {
      const folder = temporaryFolder()
      write(folder, "main.jsbundle", "run()")
      for (let nth = 0; nth <= 1000; nth += 1) write(folder, `${nth}.txt`, "x")
      const { code, err } = await ci(["upload", "preview", folder, "--dry-run"])
      assert.strictEqual(code, 0, err)
      assert.include(
        err,
        "It has 1001 files. A host accepts 1000 in one upload, unless its operator sets SLIPWAY_MAX_FILES"
      )
    })
  })

  it.effect("build: a folder of react-native bundle, whose URL stays the same", function* () {
    const { ci, client, owner, repo } = yield* account()
    yield* Effect.promise(async () => {
      const folder = reactNativeFolder()
      const first = await ci(["upload", "build", folder, "--platform", "ios", "--device", "390x844"])
      assert.strictEqual(first.code, 0, first.err)
      const build = await client.builds.latest({ owner, repo, branch: "main" })
      assert.strictEqual(first.out, build.url)
      assert.match(first.err, /^main\.jsbundle, a phone's own with \d+ files: \d+(?:\.\d)? [KM]iB$/)
      const { commitSha, deviceSpec, entry, files, isTransformed, platform, status } = build
      assert.deepStrictEqual(
        { commitSha, deviceSpec, entry, isTransformed, platform, status },
        {
          commitSha: commit,
          deviceSpec: { width: 390, height: 844 },
          entry: "main.jsbundle",
          isTransformed: false,
          platform: "ios",
          status: "ready"
        }
      )
      assert.isAbove(files.length, 0)
      assert.isTrue(files.every(({ contentHash }) => contentHash !== undefined))
      const again = await ci(["upload", "build", folder, "--platform", "ios"])
      assert.deepStrictEqual(again.out, first.out)
    })
  })

  it.effect(
    "build: expo export names the platform; the one for the web is transformed, and needs a flag",
    function* () {
      const { ci } = yield* account()
      yield* Effect.promise(async () => {
        const native: Build = JSON.parse((await ci(["upload", "build", expoFolder(), "--json"])).out)
        assert.strictEqual(native.platform, "ios")
        assert.strictEqual(native.entry, expoScript)
        assert.include(
          native.files.map(({ path }) => path),
          "app.json"
        )

        const web = webFolder("relative")
        const untold = await ci(["upload", "build", web])
        assert.strictEqual(untold.code, 2)
        assert.include(untold.err, "--platform must be ios or android")
        const printed: Build = JSON.parse((await ci(["upload", "build", web, "--platform", "ios", "--json"])).out)
        assert.isTrue(printed.isTransformed)
      })
    }
  )

  it.effect("preview: with what is known of its commit, and without a repository", function* () {
    const { ci, client, owner, repo } = yield* account(["preview_upload"])
    yield* Effect.promise(async () => {
      const path = webFolder("relative")
      const { shareId }: Preview = JSON.parse((await ci(["upload", "preview", path, "--pr", "7", "--json"])).out)
      const { git, status } = await client.previews.read(shareId)
      assert.deepStrictEqual(
        { git, status },
        { git: { owner, repo, branch: "main", commitSha: commit, pr: 7 }, status: "ready" }
      )
      const none = { SLIPWAY_OWNER: "", SLIPWAY_REPO: "", SLIPWAY_BRANCH: "", SLIPWAY_COMMIT: "" }
      const bare: Preview = JSON.parse((await ci(["upload", "preview", path, "--json"], none)).out)
      assert.deepStrictEqual(bare.git, {})
    })
  })

  it.effect("says what can't replay, in part or can't be checked; --require-replay then sends nothing", function* () {
    const { ci } = yield* account()
    yield* Effect.promise(async () => {
      const hermes = hermesFolder()
      const sent = await ci(["upload", "preview", hermes, "--platform", "ios"])
      assert.strictEqual(sent.code, 0, sent.err)
      assert.match(sent.err, /It can't replay\. It is Hermes bytecode[\s\S]*--no-bytecode/)
      const refused = await ci(["upload", "preview", hermes, "--platform", "ios", "--require-replay"])
      assert.deepStrictEqual({ code: refused.code, out: refused.out }, { code: 2, out: "" })
      assert.include(refused.err, "Nothing was sent")

      const fromRoot = webFolder("from the root")
      assert.strictEqual((await ci(["upload", "preview", fromRoot])).code, 0)
      assert.strictEqual((await ci(["upload", "preview", fromRoot, "--require-replay"])).code, 2)
      const unopened = await ci(["upload", "preview", webFolder("relative"), "--require-replay"], { CHROMIUM: "/none" })
      assert.strictEqual(unopened.code, 2)
      assert.include(unopened.err, "Not checked whether its first screen is drawn: this machine has no Chromium.")
      assert.include(
        unopened.err,
        "Nothing was sent, because of --require-replay. --check-replay uploads it unchecked."
      )
    })
  })

  it.effect(
    "stores with --check-replay what came up, also where nothing did, and never that it was checked where it wasn't",
    function* () {
      const { ci, client } = yield* account()
      yield* Effect.promise(async () => {
        const checked = async (folder: string) => {
          const args = ["upload", "preview", folder, "--platform", "ios", "--check-replay", "--json"]
          const { code, err, out } = await ci(args, { CHROMIUM: "/none" })
          assert.strictEqual(code, 0, err)
          const { shareId }: Preview = JSON.parse(out)
          return (await client.previews.read(shareId)).replayCheck
        }
        const refused = await checked(hermesFolder())
        assert.strictEqual(refused?.firstScreen, "not_drawn")
        assert.match(refused?.reason ?? "", /^It is Hermes bytecode/)
        const unopened = await checked(webFolder("relative"))
        assert.strictEqual(unopened?.firstScreen, "not_checked")
        assert.match(unopened?.reason ?? "", /^this machine has no Chromium/)
      })
    }
  )

  it.effect("reports for each refusal what is missing, and the command that fixes it; never the key", function* () {
    const { ci, key } = yield* account(["preview_upload"])
    yield* Effect.promise(async () => {
      const folder = temporaryFolder()
      write(folder, "main.js", "run()")
      const build = ["upload", "build", folder, "--platform", "ios"]
      const wrong = `slip_${"a".repeat(46)}`
      const cases = [
        [
          build,
          {},
          3,
          /lacks builds\.[\s\S]*slipway key create .*--scope builds --scope preview_upload --scope test_runs/
        ],
        [build, { SLIPWAY_KEY: wrong }, 3, /unauthorized[\s\S]*SLIPWAY_KEY[\s\S]*slipway key create/],
        [
          ["upload", "preview", folder],
          { SLIPWAY_REPO: "other" },
          3,
          /not_found[\s\S]*\/other is not linked[\s\S]*slipway repo link \S+\/other --account/
        ],
        [["upload", "preview", folder, "--branch", "x".repeat(2000)], {}, 3, /invalid_request[\s\S]*branch/],
        [build, { SLIPWAY_KEY: "" }, 2, /--key or SLIPWAY_KEY/],
        [build, { SLIPWAY_URL: "host:8787" }, 2, /SLIPWAY_URL/]
      ] as const
      for (const [args, env, code, why] of cases) {
        const ran = await ci(args, env)
        assert.deepStrictEqual({ code: ran.code, out: ran.out }, { code, out: "" })
        assert.match(ran.err, why)
        assert.notInclude(ran.err, key)
        assert.notInclude(ran.err, wrong)
      }
    })
  })
})
