import { Effect } from "effect"
import { Skipped, type Check } from "../checks/steps/Check.ts"
import { Violation } from "../dialect/Violation.ts"
import { Session } from "../session/Session.ts"

/** A check of builds, unless it says otherwise, that costs two requests and 100 bytes. */
export const exampleCheck = (id: string, run: Check["run"] = Effect.void, more: Partial<Check> = {}): Check => ({
  id,
  profile: "builds",
  title: `Does ${id}`,
  cost: { requests: 2, bytes: 100 },
  run,
  ...more
})

/** Reads a build of this id from the target and passes, whatever is answered. */
export const reading = (id: string) =>
  Effect.flatMap(Session, ({ config, exchange }) =>
    exchange({ method: "GET", url: `${config.url}/api/v1/builds/${id}`, as: { account: "a", key: "all" } })
  )

export const failing = new Violation({ expected: "It is so", came: "It isn't" })
export const skipping = new Skipped({ reason: "It can't be" })
