import { DateTime, Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { AccountId, type Account } from "../../model/Account.ts"
import type { Quotas } from "../../model/Quota.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AuditLog } from "../../ports/AuditLog.ts"
import { PreviewStore } from "../../ports/PreviewStore.ts"
import { UsageStore } from "../../ports/UsageStore.ts"
import { changesText } from "../../rules/audit.ts"
import { monthOf, quotasAsSet } from "../../rules/quotas.ts"
import { makeAuditing } from "../auditing.ts"
import { makeUsageOf } from "../Usage.ts"
import { makeAccountNamed } from "./accountNamed.ts"
import { ofAccount } from "../auditSubjects.ts"
import type { Commands } from "./Commands.ts"
import { refuse } from "./refuse.ts"

/** Accounts, what they use, their quotas, and the audit log. */
export const makeAccountCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const auditLog = yield* AuditLog
  const previews = yield* PreviewStore
  const usages = yield* UsageStore
  const usageOf = yield* makeUsageOf
  const random = yield* SecureRandom
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing

  const commands: Commands<"createAccount" | "listAccounts" | "usage" | "setQuotas" | "listAudit"> = {
    createAccount: Effect.fn("Administration.createAccount")(function* ({ name }) {
      const account: Account = {
        id: AccountId.make(yield* random.uuidV7()),
        name,
        createdAt: yield* DateTime.now
      }
      const created = auditing(ofAccount("account.created", account, account.createdAt), accounts.insert(account))
      yield* Effect.catchTag(created, "NameTaken", () => refuse(`There is an account named ${name} already.`))
      return account
    }),

    listAccounts: () => accounts.list,

    usage: Effect.fn("Administration.usage")(function* (params) {
      const account = yield* accountNamed(params.account)
      return { account, usage: yield* usageOf(account.id), months: yield* previews.usage(account.id) }
    }),

    setQuotas: Effect.fn("Administration.setQuotas")(function* (params) {
      const account = yield* accountNamed(params.account)
      const now = yield* DateTime.now
      const { own } = yield* usages.find(account.id, monthOf(now), now)
      const quotas: Quotas = Object.fromEntries(
        Object.entries({ ...own, ...params.quotas }).flatMap(([name, amount]) =>
          amount === null ? [] : [[name, amount]]
        )
      )
      const changes = changesText(quotasAsSet(own), quotasAsSet(quotas))
      if (changes !== "") {
        yield* auditing(
          ofAccount("quotas.changed", account, now, changes),
          usages.setQuotas({ accountId: account.id, ...quotas })
        )
      }
      return { account, usage: yield* usageOf(account.id) }
    }),

    listAudit: Effect.fn("Administration.listAudit")(function* (params) {
      const account = params.account === undefined ? undefined : (yield* accountNamed(params.account)).id
      return yield* auditLog.list({ account, limit: params.limit })
    })
  }
  return commands
})
