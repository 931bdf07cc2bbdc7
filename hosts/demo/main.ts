/**
 * `npm run demo`: a host on embedded engines, and a real React Native app on its way through it.
 *
 * It does what a team's CI would do, over HTTP, and serves on until Ctrl-C. It takes the settings of `slipway serve`.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Deferred, Effect } from "effect"
import { Command } from "effect/cli"
import { serveFlags, serveSettings } from "../cli/commands/serve.ts"
import { runCli } from "../cli/run.ts"
import { layerHost } from "../node/host.ts"
import type { Listening } from "../node/host.ts"
import { account, demoAccount, repository } from "./account.ts"
import { bundleApp } from "./bundle.ts"
import { progressBar } from "./progress.ts"
import { summary } from "./summary.ts"
import { upload } from "./upload.ts"

const step = (name: string, said: string) => Console.log(`  ${name.padEnd(9)} ${said}`)

const demo = Command.make("demo", serveFlags, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const listening = yield* Deferred.make<Listening>()
    const host = layerHost(settings, (one) => Effect.asVoid(Deferred.succeed(listening, one)))

    const upAndOn = Effect.gen(function* () {
      const { engines, url } = yield* Deferred.await(listening)
      yield* Console.log("\nSlipway demo\n")
      yield* step("host", `${url} on ${engines.metadata} and ${engines.objects}, data in ${settings.data}`)
      const key = yield* demoAccount(settings.data)
      yield* step("account", `${account}, with the repository ${repository.owner}/${repository.repo} linked`)
      const app = yield* bundleApp
      yield* step(
        "bundle",
        `hosts/demo/app, React Native for the web: ${app.bundle.byteLength} bytes and ${app.files.length} files`
      )
      const { byBranch, byId, finalized } = yield* upload({ url, key, app, progress: progressBar() })
      yield* step("finalize", `${finalized.status}`)
      yield* step("read", `by branch: ${byBranch.id === finalized.id}, by id: ${byId.status}`)
      yield* Console.log(summary(byId, key))
      yield* Console.log("  Serving until Ctrl-C.\n")
      process.exitCode = 0
      return yield* Effect.never
    })
    return yield* Effect.provide(upAndOn, [host, NodeHttpClient.layerNodeHttp])
  })
).pipe(Command.withDescription("Run a host and upload a React Native app to it"))

runCli(demo)
