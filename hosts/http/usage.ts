import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../core/api/Api.ts"
import { Principal } from "../../core/model/ApiKey.ts"
import { Usage } from "../../core/service/Usage.ts"

/** Where the account of a key stands, over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fnUntraced(function* (handlers) {
    const usage = yield* Usage
    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const caller = yield* Principal
        const { id, name } = caller.account
        return { account: { id, name }, ...(yield* usage.read(caller)) }
      })
    })
  })
)
