import { DateTime, Effect } from "effect"
import {
  BuildsGroup,
  BuildsRequest,
  toBuildRow,
  toReserveResponse,
  type ReserveBuildRequest
} from "../../core/api/builds.ts"
import type { BuildId, BuildView } from "../../core/model/Build.ts"
import { Builds } from "../../core/service/Builds.ts"
import { type ReserveBuild } from "../../core/service/beforeReserve.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { Settings } from "../../core/service/Settings.ts"
import { decoded } from "../../core/service/withInput.ts"
import { created, endpoints } from "./endpoints.ts"
import { jsonBody } from "./jsonBody.ts"
import { shareLinkHandlers } from "./shareLinks.ts"

const toReserveBuild = (body: typeof ReserveBuildRequest.Type): ReserveBuild => {
  const { app, branch, commitSha, operation: _, owner, platform, repo, ...declaration } = body
  return { owner, repo, identity: { branch, platform, commitSha, ...withoutUndefined({ app }) }, declaration }
}

/** The endpoints of docs/interface.md#4.1 and #4.3–4.5, over the service. */
export const layer = endpoints(
  BuildsGroup,
  Effect.gen(function* () {
    const builds = yield* Builds
    const { url, viewerUrl } = yield* Settings
    const links = (yield* shareLinkHandlers)((build: BuildId) => ({ build }))
    const bodyOf = yield* jsonBody(BuildsRequest)
    const addressOf = (id: string) => `${url}/api/v1/builds/${id}`
    const rowOf = (view: BuildView) => Effect.map(DateTime.now, (now) => toBuildRow(view, viewerUrl, now))

    return {
      ...links,
      post: Effect.fnUntraced(function* (request) {
        const { caller, headers } = request
        const payload = yield* bodyOf(request)
        if (payload.operation === "finalize") {
          const view = yield* builds.finalize(caller, payload.token)
          return created(yield* rowOf(view), addressOf(view.build.id))
        }
        const ticket = yield* builds.reserve(caller, decoded(toReserveBuild(payload)), headers["idempotency-key"])
        return created(toReserveResponse(ticket, viewerUrl), addressOf(ticket.id))
      }),
      latest: ({ caller, query }) => Effect.flatMap(builds.latest(caller, decoded(query)), rowOf),
      read: ({ caller, params }) => Effect.flatMap(builds.read(caller, params.id), rowOf),
      delete: ({ caller, params }) => builds.delete(caller, params.id)
    }
  })
)
