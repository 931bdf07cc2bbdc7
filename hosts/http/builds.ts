import { DateTime, Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../core/api/Api.ts"
import { BuildsRequest, toBuildRow, toReserveResponse, type ReserveBuildRequest } from "../../core/api/builds.ts"
import type { BuildId } from "../../core/model/Build.ts"
import { Principal } from "../../core/model/ApiKey.ts"
import { Builds } from "../../core/service/Builds.ts"
import type { ReserveBuild } from "../../core/service/beforeReserve.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { Settings } from "../../core/service/Settings.ts"
import { jsonBody } from "./jsonBody.ts"
import { shareLinkHandlers } from "./shareLinks.ts"

const toReserveBuild = (body: typeof ReserveBuildRequest.Type): ReserveBuild => {
  const { app, branch, commitSha, operation: _, owner, platform, repo, ...declaration } = body
  return { owner, repo, identity: { branch, platform, commitSha, ...withoutUndefined({ app }) }, declaration }
}

/** The endpoints of docs/interface.md#4.1 and #4.3–4.5, over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "builds",
  Effect.fnUntraced(function* (handlers) {
    const builds = yield* Builds
    const { url, viewerUrl } = yield* Settings

    const created = <A>(id: string, body: A) =>
      HttpApiSchema.withHeaders({ body, headers: { location: `${url}/api/v1/builds/${id}` } })

    const { createShareLink, ...links } = (yield* shareLinkHandlers)((build: BuildId) => ({ build }))
    const bodyOf = yield* jsonBody(BuildsRequest)

    return handlers
      .handleRaw("createShareLink", createShareLink)
      .handleRaw(
        "post",
        Effect.fnUntraced(function* (request) {
          const caller = yield* Principal
          const payload = yield* bodyOf(request)
          if (payload.operation === "finalize") {
            const view = yield* builds.finalize(caller, payload.token)
            return created(view.build.id, toBuildRow(view, viewerUrl, yield* DateTime.now))
          }
          const ticket = yield* builds.reserve(caller, toReserveBuild(payload), request.headers["idempotency-key"])
          return created(ticket.id, toReserveResponse(ticket, viewerUrl))
        })
      )
      .handleAll({
        ...links,
        latest: Effect.fnUntraced(function* ({ query }) {
          const view = yield* builds.latest(yield* Principal, query)
          return toBuildRow(view, viewerUrl, yield* DateTime.now)
        }),
        read: Effect.fnUntraced(function* ({ params }) {
          const view = yield* builds.read(yield* Principal, params.id)
          return toBuildRow(view, viewerUrl, yield* DateTime.now)
        }),
        delete: Effect.fnUntraced(function* ({ params }) {
          yield* builds.delete(yield* Principal, params.id)
        })
      })
  })
)
