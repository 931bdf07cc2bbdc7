import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { Overview } from "../../../core/service/Overview.ts"
import { Usage } from "../../../core/service/Usage.ts"
import { forAccount } from "../session/account.ts"
import { ifAllowed } from "../session/ifAllowed.ts"
import { usagePage } from "./usagePage.ts"

const show = forAccount(
  [],
  Effect.fnUntraced(function* (caller, context) {
    const overview = yield* Overview
    const usage = yield* Usage
    const facts = yield* Effect.all(
      {
        usage: usage.read(caller),
        billedThisMonth: ifAllowed(caller, "test_runs", overview.billedThisMonth(caller))
      },
      { concurrency: "unbounded" }
    )
    return usagePage(context, facts)
  })
)

/** What an account uses of its quotas. */
export const routes = [HttpRouter.route("GET", "/usage", show)]
