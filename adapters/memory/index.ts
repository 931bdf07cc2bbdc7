/** Every port in memory: for tests, for trying Slipway out, and as the shortest implementation of the ports to read. */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { ObjectSink } from "../signed-urls/ObjectSink.ts"
import { routes as signedUrlRoutes } from "../signed-urls/routes.ts"
import { SignedUrls } from "../signed-urls/SignedUrls.ts"
import { accountStore } from "./accounts.ts"
import { buildStore } from "./builds.ts"
import { idempotencyStore } from "./idempotency.ts"
import { keyStore } from "./keys.ts"
import { makeObjects } from "./objects.ts"
import { outbox } from "./outbox.ts"
import { overviewStore } from "./overview.ts"
import { previewStore } from "./previews.ts"
import { repositoryStore } from "./repositories.ts"
import { reservationStore } from "./reservations.ts"
import { sessionStore } from "./sessions.ts"
import { shareLinkStore } from "./shareLinks.ts"
import { emptyState } from "./state.ts"
import { testRunStore } from "./testRuns.ts"

/** Every metadata port on a new and empty state, which is lost when the layer is closed. */
export const layerMetadata = Layer.effectContext(
  Effect.sync(() => {
    const state = emptyState()
    return Context.make(AccountStore, accountStore(state)).pipe(
      Context.add(KeyStore, keyStore(state)),
      Context.add(RepositoryStore, repositoryStore(state)),
      Context.add(BuildStore, buildStore(state)),
      Context.add(PreviewStore, previewStore(state)),
      Context.add(TestRunStore, testRunStore(state)),
      Context.add(IdempotencyStore, idempotencyStore(state)),
      Context.add(ReservationStore, reservationStore(state)),
      Context.add(ShareLinkStore, shareLinkStore(state)),
      Context.add(SessionStore, sessionStore(state)),
      Context.add(OverviewStore, overviewStore(state)),
      Context.add(Outbox, outbox(state))
    )
  })
)

/** The object store, and the sink behind its signed URLs for a host to mount. */
export const layerObjects = Layer.effectContext(
  Effect.map(SignedUrls, (urls) => {
    const { sink, store } = makeObjects(urls)
    return Context.make(ObjectStore, store).pipe(Context.add(ObjectSink, sink))
  })
)

/** Every port. */
export const layer = Layer.mergeAll(layerMetadata, layerObjects)

/** The routes behind the signed URLs of {@link layer}, for the host to mount. */
export const routes = signedUrlRoutes.pipe(Layer.provide(layer))

/**
 * Everything that a host at `url` needs: the ports, and the routes to mount beside the API. Each call makes new ones,
 * and their data is lost when the process ends.
 */
export const engines = (options: { readonly url: string; readonly secret: Redacted.Redacted }) => {
  const urls = SignedUrls.layer({ secret: options.secret, baseUrl: options.url })
  return { ports: layer.pipe(Layer.provide(urls)), routes: routes.pipe(Layer.provide(urls)) }
}
