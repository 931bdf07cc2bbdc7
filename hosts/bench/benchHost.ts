import { Duration, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { Administration } from "../../core/service/Administration.ts"
import { Settings } from "../../core/service/Settings.ts"
import { layerServer } from "../node/server.ts"
import { owner, repo } from "./repository.ts"

type Options = Parameters<typeof layerServer>[0]

/** Starts a host in this process, with the repository and a key of its account, and `also` beside it. */
export const startHost = async <Also>(
  engines: Options["engines"],
  settings: Options["settings"],
  also: Layer.Layer<Also, unknown>
) => {
  const server = layerServer({
    engines,
    secret: Redacted.make("a secret of the bench, long enough to be one"),
    host: "127.0.0.1",
    port: 0,
    settings,
    shutdownTimeout: Duration.zero
  })
  const runtime = ManagedRuntime.make(Layer.merge(server, also))
  const { key, url } = await runtime.runPromise(
    Effect.gen(function* () {
      const admin = yield* Administration
      const { url } = yield* Settings
      yield* admin.createAccount({ name: "bench" })
      yield* admin.linkRepository({ account: "bench", owner, repo })
      const scopes = ["builds", "preview_upload", "test_runs", "delete"] as const
      const { key } = yield* admin.createKey({ account: "bench", name: "bench", scopes })
      return { url, key }
    })
  )
  return { key, runtime, url }
}
