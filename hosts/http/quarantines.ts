import { DateTime, Effect } from "effect"
import {
  AddQuarantineRequest,
  QuarantinesGroup,
  toAddQuarantine,
  toQuarantineList,
  toQuarantineRecord
} from "../../core/api/quarantines.ts"
import { Quarantines } from "../../core/service/Quarantines.ts"
import { endpoints } from "./endpoints.ts"
import { jsonBody } from "./jsonBody.ts"

/** Quarantines of tests, over the service. Not part of the interface. */
export const layer = endpoints(
  QuarantinesGroup,
  Effect.gen(function* () {
    const quarantines = yield* Quarantines
    const bodyOf = yield* jsonBody(AddQuarantineRequest)
    return {
      list: Effect.fnUntraced(function* ({ caller, query: { org, ...rest } }) {
        const page = yield* quarantines.list(caller, { owner: org, ...rest })
        return toQuarantineList(page, yield* DateTime.now)
      }),
      add: Effect.fnUntraced(function* (request) {
        const added = yield* quarantines.add(request.caller, toAddQuarantine(request.query, yield* bodyOf(request)))
        return toQuarantineRecord(added, yield* DateTime.now)
      }),
      remove: ({ caller, params: { id } }) => quarantines.remove(caller, id)
    }
  })
)
