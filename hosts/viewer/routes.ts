import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { Authorization } from "../../core/service/Authorization.ts"
import { Builds } from "../../core/service/Builds.ts"
import { Settings } from "../../core/service/Settings.ts"
import * as BuildPages from "./builds.ts"
import { Capabilities } from "./capability.ts"
import * as Home from "./home.ts"
import * as Replay from "./replay.ts"
import { Sessions } from "./session.ts"
import * as SignIn from "./signIn.ts"
import { Site } from "./site.ts"

type Needs = Authorization | Builds | Settings | Capabilities | Sessions | Site

/**
 * The pages behind `url` and `previewUrl`, and the replay of builds, for a host to mount beside the API. `secret`
 * signs sessions and the URLs of replays; every host of a deployment needs the same.
 */
export const layer = (options: { readonly secret: Redacted.Redacted }) =>
  Layer.unwrap(
    Effect.map(Effect.context<Needs>(), (context) => {
      // Nothing else of it: in here, the scope is that of the layer, and what is opened has to close with its request.
      const services = Context.pick(Authorization, Builds, Settings, Capabilities, Sessions, Site)(context)
      return HttpRouter.addAll(
        [...Home.routes, ...SignIn.routes, ...BuildPages.routes, ...Replay.routes].map((route) =>
          HttpRouter.route(route.method, route.path, Effect.provideContext(route.handler, services))
        )
      )
    })
  ).pipe(Layer.provide([Sessions.layer(options), Capabilities.layer(options)]), Layer.provide(Site.layer))
