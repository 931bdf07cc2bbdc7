import { Context, Duration, Effect, Layer, Redacted, type Scope } from "effect"
import * as memory from "../../adapters/memory/index.ts"
import type { Scope as KeyScope } from "../../core/model/ApiKey.ts"
import { Administration } from "../../core/service/administration/Administration.ts"
import { Settings, type SettingsShape } from "../../core/service/Settings.ts"
import type { Engines } from "../../hosts/node/engines/engines.ts"
import { layerServer } from "../../hosts/node/server.ts"
import { unlinkedRepository } from "../config/defaults.ts"
import { testDefaults } from "./exampleConfig.ts"
import type { Target } from "./Target.ts"

/** Everything in memory. */
export const inMemory: Engines<unknown> = {
  metadata: "memory",
  objects: "memory",
  ports: memory.layer,
  routes: memory.routes
}

const scopes = {
  all: ["builds", "preview_upload", "test_runs", "delete"],
  builds: ["builds"],
  previewUpload: ["preview_upload"],
  testRuns: ["test_runs"],
  withoutBuilds: ["preview_upload", "test_runs"],
  withoutPreviewUpload: ["builds", "test_runs"],
  withoutTestRuns: ["builds", "preview_upload"]
} as const satisfies Record<string, readonly [KeyScope, ...ReadonlyArray<KeyScope>]>

/** An account with a linked repository and a key of each scope. */
const account = Effect.fnUntraced(function* (admin: Administration["Service"], name: string) {
  yield* admin.createAccount({ name })
  const linked = { owner: name, repo: "harbour" }
  const second = { owner: name, repo: "lighthouse" }
  for (const repository of [linked, second]) yield* admin.linkRepository({ account: name, ...repository })
  const key = (one: keyof typeof scopes) =>
    Effect.map(admin.createKey({ account: name, name: one, scopes: scopes[one] }), ({ key }) => Redacted.make(key))
  const keys = yield* Effect.all({
    all: key("all"),
    builds: key("builds"),
    previewUpload: key("previewUpload"),
    testRuns: key("testRuns"),
    withoutBuilds: key("withoutBuilds"),
    withoutPreviewUpload: key("withoutPreviewUpload"),
    withoutTestRuns: key("withoutTestRuns")
  })
  return { linked, second, keys }
})

/** Creates two accounts on a host. Returns the config of a run against it. */
export const targetOf = Effect.gen(function* () {
  const admin = yield* Administration
  const { url } = yield* Settings
  const [a, b] = [yield* account(admin, "north"), yield* account(admin, "south")]
  return {
    config: {
      ...testDefaults,
      url,
      accounts: {
        a: { linked: a.linked, second: a.second, unlinked: unlinkedRepository },
        b: { linked: b.linked, unlinked: unlinkedRepository }
      },
      pairsOfScopes: true
    },
    keys: { a: a.keys, b: b.keys }
  } satisfies Target
})

/** A host of the reference service in this process, on memory unless other engines are given, until the scope closes. */
export const referenceHost = (
  options: { readonly engines?: Engines<unknown>; readonly settings?: Partial<SettingsShape> } = {}
): Effect.Effect<Target, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Layer.build(
      layerServer({
        engines: options.engines ?? inMemory,
        secret: Redacted.make("secret of a conformance test"),
        host: "127.0.0.1",
        port: 0,
        settings: options.settings ?? {},
        shutdownTimeout: Duration.seconds(1)
      })
    )
    return yield* Effect.provide(targetOf, Context.pick(Administration, Settings)(services))
  })
