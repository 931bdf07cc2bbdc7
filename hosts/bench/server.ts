/**
 * The process that is measured: a reference host and a bare handler on one set of engines, named by the first argument.
 * Prints their URLs, and ends when its standard input ends.
 */
import { Context, Duration, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ObjectSink } from "../../adapters/signed-urls/ObjectSink.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { Administration } from "../../core/service/administration/Administration.ts"
import { Settings } from "../../core/service/Settings.ts"
import { layerServer } from "../node/server.ts"
import { bareHandler } from "./bare.ts"
import { engineSets } from "./engineSets.ts"
import { owner, repo } from "./repository.ts"

/** The URLs for the load, and its key. */
export interface Measured {
  readonly host: string
  readonly bare: string
  readonly key: string
}

const set = engineSets[process.argv[2] ?? ""]
if (set === undefined) throw new Error(`there is no set of engines ${process.argv[2]}`)
const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"))
const { close, engines } = await set.open(folder)
const server = layerServer({
  engines,
  secret: Redacted.make("a secret of the bench"),
  host: "127.0.0.1",
  port: 0,
  settings: {},
  shutdownTimeout: Duration.zero
})
// The host shares the ports that the bare handler takes: a layer is built once.
const runtime = ManagedRuntime.make(Layer.provideMerge(engines.ports, server))

const prepared = Effect.gen(function* () {
  const admin = yield* Administration
  const { url } = yield* Settings
  yield* admin.createAccount({ name: "bench" })
  yield* admin.linkRepository({ account: "bench", owner, repo })
  const { key } = yield* admin.createKey({
    account: "bench",
    name: "bench",
    scopes: ["builds", "preview_upload", "test_runs"]
  })
  const context = Context.pick(
    KeyStore,
    BuildStore,
    TestRunStore,
    ObjectStore,
    ObjectSink
  )(yield* Effect.context<KeyStore | BuildStore | TestRunStore | ObjectStore | ObjectSink>())
  return { host: url, key, context }
})

const { context, host, key } = await runtime.runPromise(prepared)
let bare = ""
const bareServer = createServer(bareHandler(context, () => bare)).listen(0, "127.0.0.1")
await once(bareServer, "listening")
const address = bareServer.address()
if (address === null || typeof address === "string") throw new Error("a TCP server has an address and a port")
bare = `http://127.0.0.1:${address.port}`

const measured: Measured = { host, bare, key }
console.log(JSON.stringify(measured))

process.stdin.resume()
await once(process.stdin, "end")
bareServer.closeAllConnections()
bareServer.close()
await runtime.dispose()
await close()
rmSync(folder, { recursive: true, force: true })
