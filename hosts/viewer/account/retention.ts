import { Duration, Effect, Schema, Struct } from "effect"
import { HttpRouter } from "effect/http"
import { OwnAccount, type OwnRules } from "../../../core/service/OwnAccount.ts"
import { Settings } from "../../../core/service/Settings.ts"
import type { Visitor } from "../access/capability.ts"
import { goTo } from "../access/goTo.ts"
import type { PageContext } from "../ui/layout.ts"
import { formOf, forOwner, ownerAction } from "./owner.ts"
import type { Refused } from "./parts.ts"
import { retentionPage } from "./retentionPage.ts"

/** A period as the form sends it: days, `forever`, or nothing for that of the deployment. */
const Period = Schema.String.check(
  Schema.isPattern(/^(?:|forever|[1-9]\d{0,4})$/, { message: "must be a number of days, forever, or default" })
)
const Form = Schema.Struct({
  previews: Period,
  runs: Period,
  histories: Period,
  builds: Period,
  buildsPerBranch: Schema.String.check(
    Schema.isPattern(/^(?:|all|[1-9]\d{0,4})$/, { message: "must be a number, all, or default" })
  )
})

const show = Effect.fnUntraced(function* (owner: Visitor, context: PageContext, refused?: Refused) {
  const { own } = yield* (yield* OwnAccount).retention(owner)
  const { retention } = yield* Settings
  return retentionPage(context, { own, deployment: retention, refused })
})

const periodOf = (days: string) => (days === "forever" ? days : Duration.days(Number(days)))

const save = Effect.fnUntraced(function* (owner: Visitor, { site }: PageContext) {
  const { buildsPerBranch, ...periods } = yield* formOf(Form)
  const given = Object.entries(periods).filter(([, days]) => days !== "")
  const rules: OwnRules = {
    ...Object.fromEntries(given.map(([rule, days]) => [rule, periodOf(days)])),
    ...(buildsPerBranch === ""
      ? {}
      : { buildsPerBranch: buildsPerBranch === "all" ? buildsPerBranch : Number(buildsPerBranch) })
  }
  const forget = Struct.keys(Form.fields).filter((rule) => !(rule in rules))
  yield* (yield* OwnAccount).retain(owner, { rules, forget })
  return goTo(site, "/account/retention")
})

/** The page on which owners set how long uploads and runs are kept. */
export const routes = [
  HttpRouter.route("GET", "/account/retention", forOwner(show)),
  HttpRouter.route("POST", "/account/retention", ownerAction(save, show))
]
