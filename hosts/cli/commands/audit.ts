import { DateTime, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AuditEntry } from "../../../core/model/AuditEntry.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { actorText } from "../../../core/rules/audit.ts"
import { administer } from "../parts/administer.ts"
import { account, json, limit, stores } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

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
