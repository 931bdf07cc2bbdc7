import { Session } from "../../session/Session.ts"
import { Skipped, type CheckTable } from "../steps/Check.ts"
import { refuses } from "../steps/answers.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import type { Flow } from "./Flow.ts"

/** A token no longer finalizes once the life has passed that the config tells. */
export const expiredChecks = ({ finalize, profile, uploaded }: Flow): CheckTable => ({
  [`${profile}.finalize.expired`]: {
    title: "A finalize after the life of its token, where the config tells it, is refused and changes nothing.",
    cost: { requests: 5, bytes: bundleSizeBytes },
    *run() {
      const session = yield* Session
      const { tokenLifeMs } = session.config
      if (tokenLifeMs === undefined) {
        return yield* new Skipped({ reason: "The lifetime of a token is set as `tokenLifeMs`, or by --token-life." })
      }
      const { mustWait, reserved } = yield* uploaded()
      yield* session.wait(tokenLifeMs)
      yield* refuses(finalize(reserved), "A finalize after the life of its token", `${profile}.finalize.expired`)
      yield* mustWait
    }
  }
})
