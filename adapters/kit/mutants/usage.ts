import { DateTime, Effect } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import type { QuotaUsage } from "../../../core/model/Quota.ts"
import { UsageStore } from "../../../core/ports/UsageStore.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

/** Answers otherwise than what was found. */
const finding = (alter: (found: QuotaUsage) => Partial<QuotaUsage>) =>
  altered(UsageStore, (store) => ({
    find: (...asked) => Effect.map(store.find(...asked), (found) => ({ ...found, ...alter(found) }))
  }))

export const usageMutants: MetadataFaults = {
  "a new account uses nothing and has no quotas of its own": {
    "says that nothing is unlimited": finding(({ own }) => ({ own: { bytesStored: 0, ...own } }))
  },
  "what is reserved counts as reserved until it ends, by what was declared of all objects": {
    "counts what has ended": altered(UsageStore, (store) => ({
      find: (account, month, now) => store.find(account, month, DateTime.subtract(now, { hours: 1 }))
    }))
  },
  "what is finalized counts as used in the month of that, and is kept from then on": {
    "counts by the month of the reservation": altered(UsageStore, (store) => ({
      find: (account, month, now) => store.find(account, month === "2026-10" ? "2026-11" : month, now)
    }))
  },
  "what is deleted is not kept any more, and counts in its month still": {
    "keeps what was deleted": finding(({ used }) => ({ used: { ...used, bytesStored: used.bytesPerMonth } }))
  },
  "metadata counts from when it is stored, finalized or not, until it is deleted": {
    "counts none of a run's": altered(TestRunStore, (store) => ({
      insert: ({ run, ...change }) => store.insert({ ...change, run: { ...run, metadataBytes: 0 } })
    })),
    "counts it against no quota": altered(TestRunStore, (store) => ({
      insert: (change) => store.insert({ ...change, within: undefined })
    }))
  },
  "a commit that is refused counts nothing": {
    "counts attempts": altered(UsageStore, (store) => ({
      find: (...asked) =>
        Effect.map(store.find(...asked), (found) => ({
          ...found,
          used: { ...found.used, previewsPerMonth: found.used.previewsPerMonth * 2 }
        }))
    }))
  },
  "accounts don't share what they use": {
    "counts for everybody what the first has": bothAltered(PreviewStore, UsageStore, (previews, usage) => {
      let first: AccountId | undefined
      return [
        {
          commitReserve: (change) => {
            first ??= change.preview.accountId
            return previews.commitReserve(change)
          }
        },
        { find: (account, month, now) => usage.find(first ?? account, month, now) }
      ]
    })
  },
  "an account's own quotas are found as they were set last": {
    "takes zero for none": altered(UsageStore, (store) => ({
      setQuotas: ({ runsPerMonth, ...quotas }) =>
        store.setQuotas({ ...quotas, ...(runsPerMonth === 0 || runsPerMonth === undefined ? {} : { runsPerMonth }) })
    }))
  },
  "a reserve that would exceed a quota is a Conflict and stores nothing; one up to it is stored": {
    "doesn't look at quotas of builds": altered(BuildStore, (store) => ({
      commitReserve: (change) => store.commitReserve({ ...change, within: undefined })
    })),
    "refuses what just fits": altered(PreviewStore, (store) => ({
      commitReserve: ({ within, ...change }) =>
        store.commitReserve({
          ...change,
          within: within && {
            ...within,
            requested: { ...within.requested, bytesStored: within.requested.bytesStored + 1 }
          }
        })
    }))
  },
  "a run that would exceed a quota is a Conflict and is not stored; one up to it is stored": {
    "doesn't look at quotas of runs": altered(TestRunStore, (store) => ({
      insert: (change) => store.insert({ ...change, within: undefined })
    }))
  },
  "many commits at once are all counted": {
    "loses one of many": finding(({ used }) => ({
      used: { ...used, runsPerMonth: used.runsPerMonth - (used.runsPerMonth > 31 ? 1 : 0) }
    }))
  },
  "the times of commits alone decide, however far they are from now": {
    "counts by its own clock": altered(UsageStore, (store) => ({
      find: (account, month, now) => store.find(account, month < "2000" ? "2026-11" : month, now)
    }))
  }
}
