import { Clock, DateTime, Effect } from "effect"
import type { ObjectStore } from "../../../../core/ports/ObjectStore.ts"
import type { Clock as ServerClock } from "../parts/clock.ts"
import { request } from "./request.ts"

/**
 * The clock of a store, by what it says when it answers: whole seconds, so half of one is added. Any answer will do, and
 * nothing needs to be there.
 */
export const storeClock = Effect.fnUntraced(
  function* (store: ObjectStore["Service"], prefix: string) {
    const expiresAt = DateTime.addDuration(yield* DateTime.now, "1 minute")
    const url = yield* store.presignGet({ key: `${prefix}nothing`, expiresAt })
    const asked = yield* Clock.currentTimeMillis
    const answer = yield* request(url)
    const answered = yield* Clock.currentTimeMillis
    const serverTime = Date.parse(answer?.headers.get("date") ?? "")
    const clock: ServerClock = {
      of: "S3",
      aheadMillis: serverTime + 500 - (asked + answered) / 2,
      exactToMillis: 1000 + answered - asked
    }
    return Number.isNaN(serverTime) ? undefined : clock
  },
  Effect.orElseSucceed(() => undefined)
)
