import { Duration, Effect, Option, Struct, type Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { RetentionRules } from "../../../core/model/Account.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { RetentionCountText, RetentionPeriodText } from "../../node/settings/limitSettings.ts"
import { administer } from "../parts/administer.ts"
import { json, name, orDefault, stores } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

/** A flag of a rule; `default` applies the deployment's settings. */
const ruleFlag = <A>(flag: string, what: string, schema: Schema.Codec<A, string>, message: string) =>
  Flag.String(flag).pipe(Flag.withDescription(what), Flag.withSchema(orDefault(schema, message)), Flag.optional)

const keptFor = (flag: string, what: string) =>
  ruleFlag(
    flag,
    `How long ${what}: such as 90d, forever, or default`,
    RetentionPeriodText,
    "must be a duration such as 90d, forever, or default"
  )

const flags = {
  previews: keptFor("previews", "previews are kept"),
  runs: keptFor("runs", "test runs are kept"),
  histories: keptFor("histories", "histories of tests are kept after the last run"),
  builds: keptFor("builds", "ready builds are kept"),
  buildsPerBranch: ruleFlag(
    "builds-per-branch",
    "How many ready builds of each branch, platform and app are kept: a number, all, or default",
    RetentionCountText,
    "must be a whole number, all, or default"
  ),
  billed: keptFor("billed", "billing records are kept")
}

type Rule = keyof RetentionRules

const spelled = (value: RetentionRules[Rule]): string | number | undefined =>
  Duration.isDuration(value) ? Duration.format(value) : value

const names: Readonly<Record<Rule, string>> = {
  previews: "previews",
  runs: "test runs",
  histories: "histories of tests",
  builds: "builds",
  buildsPerBranch: "builds per branch",
  billed: "billing records"
}
const all = Struct.keys(names)

export const retention = Command.make("retention", { name, ...flags, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const given = all.map((rule) => [rule, Option.getOrUndefined<unknown>(input[rule])] as const)
    const rules: RetentionRules = withoutUndefined({
      previews: unlessDefault(input.previews),
      runs: unlessDefault(input.runs),
      histories: unlessDefault(input.histories),
      builds: unlessDefault(input.builds),
      buildsPerBranch: unlessDefault(input.buildsPerBranch),
      billed: unlessDefault(input.billed)
    })
    const forget = given.flatMap(([rule, value]) => (value === "default" ? [rule] : []))
    const { account, holding, own } = yield* administer(input, (one) =>
      one.retain({ account: input.name, rules, forget })
    )
    yield* print(
      input.json,
      { account: account.name, ...Object.fromEntries(all.map((rule) => [rule, spelled(holding[rule])])) },
      all.map((rule) => {
        const kept = spelled(holding[rule]) ?? (rule === "buildsPerBranch" ? "all" : "forever")
        // A run outlives its preview, which has its recordings.
        const ends = rule === "runs" && holding.runs === undefined && Duration.isDuration(holding.previews)
        const recordings = ends ? `, their recordings ${spelled(holding.previews)}` : ""
        return `${names[rule]}  ${kept}${recordings}${own[rule] === undefined ? "  (default)" : ""}`
      })
    )
  })
).pipe(Command.withDescription("Show or set the retention of an account"))

const unlessDefault = <A>(value: Option.Option<A | "default">): A | undefined => {
  const given = Option.getOrUndefined(value)
  return given === "default" ? undefined : given
}
