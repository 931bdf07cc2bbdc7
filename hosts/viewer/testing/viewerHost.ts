import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { Administration } from "../../../core/service/Administration.ts"
import { Settings } from "../../../core/service/Settings.ts"
import type { SettingsShape } from "../../../core/service/Settings.ts"
import * as Api from "../../http/routes.ts"
import { call, TestHost } from "../../http/testing/TestHost.ts"
import type { Engines } from "../../node/engines.ts"
import { layerServices } from "../../node/server.ts"
import * as Viewer from "../routes.ts"

/** A test host with the viewer mounted beside the API. */
export const viewerHost = <E>(engines: Engines<E>, settings: Partial<SettingsShape> = {}) => {
  const secret = Redacted.make("test secret")
  const app = Layer.mergeAll(Api.layer, Api.layerEnvelope(), engines.routes, Viewer.layer({ secret }))
  return Layer.effect(
    TestHost,
    Effect.gen(function* () {
      const { url } = yield* Settings
      return TestHost.of({
        url,
        admin: yield* Administration,
        hostedBundle: () => Effect.die("not here"),
        call: (method, path, options) => call(method, url + path, options)
      })
    })
  ).pipe(
    Layer.provide(HttpRouter.serve(app, { disableListenLog: true, disableLogger: true })),
    Layer.provide(layerServices({ engines, secret })),
    Layer.provide(
      Layer.effect(
        Settings,
        Effect.map(HttpServer.HttpServer, ({ address }) =>
          Settings.make({ ...settings, url: settings.url ?? HttpServer.formatAddress(address) })
        )
      )
    ),
    Layer.provide(
      NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0, gracefulShutdownTimeout: "1 second" })
    )
  )
}
