/** The commands of operators: garbage collection, the audit log, and usage. */
import { Array, Console, DateTime, Effect, Option, Order, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { AccountUsage } from "../../../core/model/Account.ts"
import { AuditEntry } from "../../../core/model/AuditEntry.ts"
import { sumSwept, type SweepPosition, type Swept } from "../../../core/model/Sweep.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { actorText } from "../../../core/rules/audit.ts"
import { usageLines } from "../../../core/rules/limits.ts"
import { administer, type Stores } from "../parts/administer.ts"
import { account, json, limit, stores } from "../parts/arguments.ts"
import { print, usageJson } from "../parts/print.ts"

const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Show what would be deleted, and why, and change nothing"),
  Flag.withDefault(false)
)

const foreign = Flag.Boolean("foreign").pipe(
  Flag.withDescription(
    "Also delete objects when most belong to unknown reservations; make sure that no other deployment uses them"
  ),
  Flag.withDefault(false)
)

const whys: Readonly<Record<Swept["rule"], string>> = {
  abandoned_builds: "builds that were never finalized",
  abandoned_uploads: "uploads of builds that were never finalized",
  superseded_uploads: "uploads that their builds no longer show",
  abandoned_previews: "previews that were never finalized",
  answers: "expired answers to idempotency keys",
  sessions: "expired sessions",
  share_links: "share links that ended thirty days ago",
  quarantines: "quarantines that ended thirty days ago",
  used_tokens: "expired identity tokens",
  exchanged_keys: "expired keys of exchanged tokens",
  previews: "expired previews",
  runs: "expired test runs",
  histories: "expired histories of tests",
  ci_runs: "expired CI runs",
  builds: "expired builds",
  billed: "expired billing records",
  audit: "expired entries of the audit log",
  erased: "records of accounts that are being erased",
  removals: "unfinished deletions, with their remaining objects",
  orphans: "orphaned objects"
}

const line = ({ account, bytes, count, rule }: Swept): string =>
  [
    `${count} ${whys[rule]}`,
    ...(account === undefined ? [] : [`of ${account}`]),
    ...(bytes === 0 ? [] : [`(${bytes} bytes)`])
  ].join(" ")

export const gc = Command.make("gc", { dryRun, foreign, json, ...stores }, (input) =>
  administer(input, (one) =>
    Effect.gen(function* () {
      const all: Array<Swept> = []
      let from: SweepPosition | undefined
      do {
        const { foreign } = input
        const step = yield* one.sweepStep({ dryRun: input.dryRun, foreign, ...withoutUndefined({ from }) })
        all.push(...step.swept)
        // Progress is printed to stderr, so that a program can read the result.
        if (!input.dryRun) yield* Effect.forEach(step.swept, (swept) => Console.error(`So far: ${line(swept)}`))
        from = step.next
      } while (from !== undefined)
      const sums = sumSwept(all)
      yield* print(
        input.json,
        { dryRun: input.dryRun, swept: sums },
        sums.length === 0
          ? ["There is nothing to delete."]
          : sums.map((sum) => `${input.dryRun ? "Would remove" : "Removed"} ${line(sum)}`)
      )
    })
  )
).pipe(Command.withDescription("Expire resources by retention and collect garbage now"))

const encode = Schema.encodeSync(AuditEntry, { disableChecks: true })

export const audit = Command.make("audit", { account: Flag.optional(account), limit, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const query = { limit: input.limit, ...withoutUndefined({ account: Option.getOrUndefined(input.account) }) }
    const entries = yield* administer(input, (one) => one.listAudit(query))
    yield* print(
      input.json,
      entries.map((entry) => encode(entry)),
      entries.length === 0
        ? ["Nothing was written down yet."]
        : entries.map(({ action, actor, address, at, detail, subject }) =>
            [
              DateTime.formatIso(at),
              action,
              detail === undefined ? subject : `${subject} (${detail})`,
              `by ${actorText(actor)}`,
              ...(address === undefined ? [] : [`from ${address}`])
            ].join("  ")
          )
    )
  })
).pipe(
  Command.withDescription(
    "Who did what: keys, links, sign-ins, shares, deletions, settings of accounts; of one account or all, latest first"
  )
)

const oneAccount = Flag.optional(account).pipe(Flag.withDescription("Name of the account; all accounts without it"))

const ofAccount = Effect.fnUntraced(function* (input: Stores & { readonly json: boolean }, name: string) {
  const { account, months, usage } = yield* administer(input, (one) => one.usage({ account: name }))
  yield* print(input.json, { account: account.name, ...usageJson(usage), months }, [
    ...usageLines(usage),
    ...(months.length === 0 ? [`${account.name} has no billed test runs.`] : []),
    ...months.map(
      ({ billedTestRuns, month }) => `${month}  ${billedTestRuns} billed test ${billedTestRuns === 1 ? "run" : "runs"}`
    )
  ])
})

const mostKeptFirst = Order.mapInput(
  Order.flip(Order.Number),
  ({ usage }: { usage: AccountUsage }) => usage.bytesStored.used
)

const ofAll = Effect.fnUntraced(function* (input: Stores & { readonly json: boolean }) {
  const all = yield* administer(input, (one) =>
    Effect.flatMap(one.listAccounts(), (accounts) =>
      Effect.forEach(accounts, ({ name }) => one.usage({ account: name }), { concurrency: 4 })
    )
  )
  const sorted = Array.sort(all, mostKeptFirst)
  yield* print(
    input.json,
    sorted.map(({ account, usage }) => ({ account: account.name, ...usageJson(usage) })),
    sorted.map(({ account, usage }) => `${account.name}  ${usageLines(usage).slice(0, -1).join("  ")}`)
  )
})

export const usage = Command.make("usage", { account: oneAccount, json, ...stores }, (input) =>
  Option.match(input.account, { onNone: () => ofAll(input), onSome: (name) => ofAccount(input, name) })
).pipe(
  Command.withDescription(
    "Show what an account uses of its quotas, and its billed test runs by month; or all accounts, the one that stores most first"
  )
)
