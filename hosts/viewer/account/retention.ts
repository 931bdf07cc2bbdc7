/** The page of an account's retention policy, and the action of its form. */
import { Duration, Effect, Schema, Struct } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { RetentionRules } from "../../../core/model/Account.ts"
import { OwnAccount, type OwnRules } from "../../../core/service/OwnAccount.ts"
import { Settings } from "../../../core/service/Settings.ts"
import type { Visitor } from "../access/capability.ts"
import { goTo } from "../access/site.ts"
import { accountTitle, page, type PageContext } from "../ui/layout.ts"
import { counted } from "../ui/words.ts"
import { html, type Html } from "../ui/html.ts"
import { formOf, forOwner, options, ownerAction, type Refused, refusedNotice } from "./owner.ts"

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

type Value = OwnRules[keyof OwnRules]

/** The rules, what each is about, and what else there is to know. */
const rules: Readonly<Record<keyof OwnRules, readonly [name: string, text: string]>> = {
  previews: ["Previews", "with their recordings and files"],
  runs: ["Test runs", "at most as long as previews"],
  histories: ["Histories of tests", "counted from the last run of a test"],
  builds: ["Builds", "counted from when they were ready"],
  buildsPerBranch: ["Builds of each branch, platform and app", "older ones expire earlier"]
}

const days = [7, 14, 30, 60, 90, 180, 365, 400, 730]
const counts = [1, 3, 5, 10, 20, 50, 100]

/** A rule as a form sends it. */
const valueOf = (value: Value): string =>
  Duration.isDuration(value) ? `${Math.ceil(Duration.toDays(value))}` : String(value ?? "")

const textOf = (rule: keyof OwnRules, value: Value): string => {
  if (Duration.isDuration(value)) return counted(Math.ceil(Duration.toDays(value)), "day")
  if (rule === "buildsPerBranch")
    return value === undefined || value === "all" ? "all" : counted(Number(value), "build")
  return "forever"
}

const choices = (rule: keyof OwnRules, own: Value, deployment: Value): Readonly<Record<string, string>> => {
  const offered: ReadonlyArray<number> = rule === "buildsPerBranch" ? counts : days
  const set = Number(valueOf(own))
  const numbers = [...new Set(set > 0 ? [...offered, set] : offered)].toSorted((a, b) => a - b)
  const unit = rule === "buildsPerBranch" ? "build" : "day"
  return {
    [`Default of this service (${textOf(rule, deployment)})`]: "",
    ...(rule === "buildsPerBranch" ? { All: "all" } : { Forever: "forever" }),
    ...Object.fromEntries(numbers.map((n) => [counted(n, unit), `${n}`]))
  }
}

const field = (
  rule: keyof OwnRules,
  own: RetentionRules,
  deployment: RetentionRules,
  refused: Refused | undefined
): Html => {
  const [name, text] = rules[rule]
  return html`<label for="${rule}">${name} <span class="type">${text}</span></label>
    <select id="${rule}" name="${rule}">
      ${options(choices(rule, own[rule], deployment[rule]), refused?.sent.get(rule) ?? valueOf(own[rule]))}
    </select>`
}

/** The page of an account's retention rules. */
const retentionPage = (
  context: PageContext,
  {
    deployment,
    own,
    refused
  }: {
    readonly own: RetentionRules
    readonly deployment: RetentionRules
    readonly refused: Refused | undefined
  }
): HttpServerResponse.HttpServerResponse => {
  const keys = ["previews", "runs", "histories", "builds", "buildsPerBranch"] as const
  return page(context, {
    title: "Retention",
    status: refused === undefined ? 200 : 400,
    main: html`${accountTitle(context, {
        heading: "Retention",
        path: "/account/retention",
        at: "How long uploads and results are kept. What is kept by its Keep button never expires."
      })}
      ${refusedNotice(refused && { ...refused, why: refused.why.replace(/^--([\w-]+)/, (_, flag: string) => flagText(flag)) })}
      <form class="card form" method="post" action="${context.site.base}/account/retention">
        <h2>Keep for</h2>
        ${keys.map((rule) => field(rule, own, deployment, refused))}
        <p>What is older is deleted for good, beginning a few minutes after you save.</p>
        <button>Save</button>
      </form>`
  })
}

/** The name of a rule for people, from the flag of the command line that a refusal names. */
const flagText = (flag: string): string =>
  Object.entries(rules).find(([rule]) => rule.toLowerCase() === flag.replaceAll("-", ""))?.[1][0] ?? flag
