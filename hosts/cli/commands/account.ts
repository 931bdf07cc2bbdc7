import { DateTime, Duration, Effect, Option, Record, type Schema, Struct } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { rmSync, writeFileSync } from "node:fs"
import { AccountId, type RetentionRules } from "../../../core/model/Account.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { actorText } from "../../../core/rules/audit.ts"
import { usageLines } from "../../../core/rules/limits.ts"
import { erasedCountsText } from "../../../core/rules/sweeps.ts"
import { AdministrationRefused } from "../../../core/service/administrationMethods.ts"
import { RetentionCountText, RetentionPeriodText } from "../../node/settings/limitSettings.ts"
import { administer, administerNew } from "../parts/administer.ts"
import { json, name, orDefault, quotas, stores } from "../parts/arguments.ts"
import { accountJson, print, usageJson } from "../parts/print.ts"
import { file, writesBackup } from "./backup.ts"
import { serveFlags } from "./serve.ts"

const create = Command.make("create", { name, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const account = yield* administerNew(input, (one) => one.createAccount({ name: input.name }))
    yield* print(input.json, accountJson(account), [`Created the account ${account.name} (${account.id}).`])
  })
).pipe(Command.withDescription("Create an account"))

const list = Command.make("list", { json, ...stores }, (input) =>
  Effect.gen(function* () {
    const accounts = yield* administer(input, (one) => one.listAccounts())
    yield* print(
      input.json,
      accounts.map(accountJson),
      accounts.map(({ id, name }) => `${id}  ${name}`)
    )
  })
).pipe(Command.withDescription("List the accounts"))

const quota = Command.make("quota", { name, ...quotas, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const { bytesStored, bytesPerMonth, previewsPerMonth, runsPerMonth } = input
    const changed = Record.getSomes({ bytesStored, bytesPerMonth, previewsPerMonth, runsPerMonth })
    const { account, usage } = yield* administer(input, (one) =>
      one.setQuotas({ account: input.name, quotas: changed })
    )
    yield* print(input.json, { account: account.name, ...usageJson(usage) }, usageLines(usage))
  })
).pipe(
  Command.withDescription("Set quotas of an account, which come before those of the settings, and show where it stands")
)

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

const retention = Command.make("retention", { name, ...flags, json, ...stores }, (input) =>
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
        const life = spelled(holding[rule]) ?? (rule === "buildsPerBranch" ? "all" : "forever")
        // A run outlives its preview, which has its recordings.
        const ends = rule === "runs" && holding.runs === undefined && Duration.isDuration(holding.previews)
        const recordings = ends ? `, their recordings ${spelled(holding.previews)}` : ""
        return `${names[rule]}  ${life}${recordings}${own[rule] === undefined ? "  (default)" : ""}`
      })
    )
  })
).pipe(Command.withDescription("Show or set the retention of an account"))

const unlessDefault = <A>(value: Option.Option<A | "default">): A | undefined => {
  const given = Option.getOrUndefined(value)
  return given === "default" ? undefined : given
}

const yes = Flag.String("yes").pipe(
  Flag.withDescription("The account's name again, to skip the confirmation"),
  Flag.optional
)

const id = Flag.String("id").pipe(
  Flag.withDescription("The account's id, where one of the same name is being erased already"),
  Flag.withSchema(AccountId),
  Flag.optional
)

const receipt = Flag.String("receipt").pipe(
  Flag.withDescription("File to write the receipt into, as JSON; it must not exist"),
  Flag.optional
)

const refused = (message: string) => new AdministrationRefused({ message })

/** Has a person type the account's name, unless it was given twice. */
const confirmed = Effect.fnUntraced(function* (account: string, yes: string | undefined) {
  if (yes === undefined && !process.stdin.isTTY) {
    return yield* refused(
      `Erasing can't be undone, and there is no terminal to ask at; pass --yes ${account} to confirm. Nothing was changed.`
    )
  }
  const message = `All data of the account ${account} will be erased permanently. Type its name:`
  const typed = yes ?? (yield* Prompt.run(Prompt.String({ message })))
  if (typed !== account) return yield* refused(`That is not the account's name, ${account}. Nothing was changed.`)
})

/** Makes the file of the receipt before anything is erased, so that what can't be written is refused. */
const reserved = (file: string) =>
  Effect.try({
    try: () => writeFileSync(file, "", { flag: "wx", mode: 0o600 }),
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
      return refused(
        code === "EEXIST"
          ? `There is a file ${file} already; name another, or remove it. Nothing was changed.`
          : `The receipt ${file} can't be written: ${code}; write it elsewhere. Nothing was changed.`
      )
    }
  })

const erase = Command.make("erase", { name, yes, id, receipt, json, ...stores }, (input) =>
  Effect.gen(function* () {
    yield* confirmed(input.name, Option.getOrUndefined(input.yes))
    const file = Option.getOrUndefined(input.receipt)
    if (file !== undefined) yield* reserved(file)
    const erased = yield* administer(input, (one) =>
      Effect.gen(function* () {
        const meant = { account: input.name, ...withoutUndefined({ id: Option.getOrUndefined(input.id) }) }
        const { id } = yield* Effect.tapError(one.eraseAccount(meant), () =>
          Effect.sync(() => file === undefined || rmSync(file))
        )
        let step = yield* one.eraseStep({ id })
        while (!step.isDone) step = yield* one.eraseStep({ id })
        return step
      })
    )
    const { actor, at, gone, settledAt } = erased.erasure
    const receipt = {
      account: { id: erased.id, name: input.name },
      erasedAt: DateTime.formatIso(at),
      by: actorText(actor),
      gone,
      settledAt: DateTime.formatIso(settledAt)
    }
    if (file !== undefined) {
      yield* Effect.try({
        try: () => writeFileSync(file, `${JSON.stringify(receipt, undefined, 2)}\n`),
        catch: (cause) =>
          refused(
            `The account is erased, but the receipt ${file} can't be written: ${String(cause)}. Run the command again.`
          )
      })
    }
    const what = erasedCountsText(gone)
    yield* print(input.json, receipt, [
      `Erased the account ${input.name} (${erased.id}) at ${receipt.erasedAt}, by ${receipt.by}.`,
      `Erased: ${what === "" ? "only the account" : what}.`,
      `Data that concurrent requests still store is erased automatically until ${receipt.settledAt}; then the id is removed.`
    ])
  })
).pipe(
  Command.withDescription("Erase an account with everything of it, for good, from the next request on; with a receipt")
)

const exportAccount = Command.make("export", { ...serveFlags, name, file }, (input) =>
  writesBackup(input, `Exported ${input.name} to`, ({ backUpAccount }) => backUpAccount(input.name))
).pipe(
  Command.withDescription(
    "Write one account into a file for restore, `-` for stdout; without keys, sessions and share links"
  )
)

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: who owns repositories, keys and uploads"),
  Command.withSubcommands([create, list, quota, retention, exportAccount, erase])
)
