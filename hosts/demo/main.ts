/**
 * `npm run demo`: a host on embedded engines, and a real React Native app on its way through it.
 *
 * It does what a team's CI would do, over HTTP, and serves on until Ctrl-C. It takes the settings of `slipway serve`.
 */
import { Console, Data, Effect } from "effect"
import { Command } from "effect/cli"
import { serveFlags, serveSettings } from "../cli/commands/serve.ts"
import { runCli, shutdownSignal } from "../cli/parts/run.ts"
import { createClient } from "../client/index.ts"
import { layerHost } from "../node/host.ts"
import { Listening } from "../node/Listening.ts"
import { account, demoAccount, repository } from "./account.ts"
import { bundleApp } from "./bundle.ts"
import { registerRun, uploadBuild, uploadPreview, uploadPullPreview } from "./ci.ts"
import { demoRuns } from "./demoRuns.ts"
import { demoTests, seedHistory } from "./history.ts"
import { nativeApp } from "./nativeBundle.ts"
import { summary } from "./summary.ts"

/** A step of the demo failed. */
class DemoFailed extends Data.TaggedError("DemoFailed")<{ readonly message: string }> {}

const done = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (error) => new DemoFailed({ message: String(error) }) })

const step = (name: string, said: string) => Console.log(`  ${name.padEnd(9)} ${said}`)

const demo = Command.make("demo", serveFlags, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const upAndOn = Effect.gen(function* () {
      const { engines, url } = yield* Listening
      yield* Console.log("\nSlipway demo\n")
      yield* step("host", `${url} on ${engines.metadata} and ${engines.objects}, data in ${settings.data}`)
      const key = yield* demoAccount(settings.data)
      yield* step("account", `${account}, with the repository ${repository.owner}/${repository.repo} linked`)
      const apps = { web: yield* bundleApp, native: yield* nativeApp }
      yield* step(
        "bundle",
        `hosts/demo/app, React Native for the web: ${apps.web.bundle.byteLength} bytes and ${apps.web.files.length} files`
      )
      yield* step(
        "",
        `the same for a phone, made by Metro beforehand: ${apps.native.bundle.byteLength} bytes and ${apps.native.files.length} files`
      )
      const client = createClient({ url, key })
      const build = yield* done(() => uploadBuild(client, apps.web))
      yield* step("finalize", `build ${build.finalized.status}`)
      yield* step("read", `by branch: ${build.byBranch.status}, by id: ${build.byId.status}`)
      const seeded = yield* seedHistory(client, key, apps.web)
      if (seeded > 0) {
        yield* step("history", `${seeded} runs of ${demoTests.length} tests in six weeks`)
        yield* done(() => uploadPullPreview(client, apps.native))
      }
      const { owner: org, repo } = repository
      for (const run of demoRuns) {
        const { source } = run
        const { testRuns: before } = yield* done(() => client.testRuns.list({ org, repo, source, limit: 100 }))
        // An earlier start of the demo registered it.
        if (before.some(({ name }) => name === run.name)) continue
        const { preview, recorded } = yield* done(() => uploadPreview(client, apps[run.app], run))
        yield* step("finalize", `preview ${preview.status}, with ${preview.recordings.length} recordings`)
        const { kind, name, status } = yield* done(() => registerRun(client, run, recorded, preview.shareId))
        yield* step("run", `${kind} ${status}: ${name}`)
      }
      const { testRuns } = yield* done(() => client.testRuns.list({ org, repo, limit: demoRuns.length }))
      yield* Console.log(summary(build.byId, testRuns, { key, url }))
      yield* Console.log("  Serving until Ctrl-C.\n")
      yield* shutdownSignal
    })
    return yield* Effect.provide(upAndOn, layerHost(settings))
  })
).pipe(Command.withDescription("Run a host and upload a React Native app to it"))

runCli(demo)
