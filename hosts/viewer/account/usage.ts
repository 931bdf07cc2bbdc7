import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { AccountUsage } from "../../../core/model/Account.ts"
import { usageLines } from "../../../core/rules/limits.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { Usage } from "../../../core/service/Usage.ts"
import { forAccount, ifAllowed } from "../session/account.ts"
import { accountTitle, page, type PageContext } from "../ui/layout.ts"
import { counted } from "../ui/words.ts"
import { html } from "../ui/html.ts"

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

/** The usage of an account. `billedThisMonth` is `undefined` if the key may not see it. */
interface UsageFacts {
  readonly usage: AccountUsage
  readonly billedThisMonth: number | undefined
}

/** The page of what an account uses of its quotas, and of its billed test runs. */
const usagePage = (
  context: PageContext,
  { billedThisMonth, usage }: UsageFacts
): HttpServerResponse.HttpServerResponse => {
  const lines = [
    ...(billedThisMonth === undefined ? [] : [`${counted(billedThisMonth, "billed test run")} this month`]),
    ...usageLines(usage)
  ]
  return page(context, {
    title: "Usage",
    main: html`${accountTitle(context, { heading: "Usage", path: "/usage", at: "What this account uses of its quotas." })}
      <section class="card form">
        <ul class="list">
          ${lines.map((line) => html`<li>${line}</li>`)}
        </ul>
      </section>`
  })
}
