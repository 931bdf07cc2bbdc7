import type { HttpServerResponse } from "effect/http"
import { html } from "../ui/html.ts"
import type { AccountUsage } from "../../../core/model/Account.ts"
import { usageLines } from "../../../core/rules/limits.ts"
import { accountTitle } from "../ui/accountTitle.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { counted } from "../ui/counted.ts"

/** The usage of an account. `billedThisMonth` is `undefined` if the key may not see it. */
interface UsageFacts {
  readonly usage: AccountUsage
  readonly billedThisMonth: number | undefined
}

/** The page of what an account uses of its quotas, and of its billed test runs. */
export const usagePage = (
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
