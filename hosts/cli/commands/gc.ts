import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { sumSwept, type SweepPosition, type Swept } from "../../../core/model/Sweep.ts"
import { administer } from "../parts/administer.ts"
import { json, stores } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

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
  sessions: "sessions that are over",
  share_links: "share links that ended thirty days ago",
  used_tokens: "identity tokens that are over",
  exchanged_keys: "keys of exchanged tokens that are over",
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
