import { DateTime, Effect, Option } from "effect"
import { AccountId, type Account } from "../../../core/model/Account.ts"
import { subjectOf } from "../../../core/model/Resource.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { RetentionStore } from "../../../core/ports/RetentionStore.ts"
import { SweepStore } from "../../../core/ports/SweepStore.ts"
import type { SweepOrder } from "../../../core/model/Sweep.ts"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import { altered, type FaultsByCase } from "./Mutant.ts"
import { removingLater } from "./removals.ts"
import type { SharedMemory } from "./twoHosts.ts"

type Store = SweepStore["Service"]

/** Finds and takes by another order than it is given. */
const byOrder = (change: (order: SweepOrder) => SweepOrder) =>
  altered(SweepStore, (store: Store) => ({
    due: (order, page) => store.due(change(order), page),
    expire: (order, resources) => store.expire(change(order), resources)
  }))

const later = (order: SweepOrder): SweepOrder =>
  order.until === undefined ? order : { ...order, until: DateTime.add(order.until, { years: 50 }) }

/** Takes nothing by a rule. */
const never = (rule: SweepOrder["rule"]) =>
  altered(SweepStore, (store: Store) => ({
    expire: (order, resources) => (order.rule === rule ? Effect.succeed([]) : store.expire(order, resources))
  }))

/** The order to abandon in place of the one to supersede, and so on. */
const asAnother = (from: SweepOrder["rule"], to: "abandoned_uploads" | "superseded_uploads") =>
  byOrder((order) => (order.rule === from && order.until !== undefined ? { rule: to, until: order.until } : order))

/** The id of no account. */
const nobody = AccountId.make("00000000-0000-7000-8000-000000000000")

export const retentionMutants: FaultsByCase<MetadataPorts, SharedMemory> = {
  "the rules of an account are found as they were set last, and none of another account": {
    "keeps the rules of one account for all": altered(RetentionStore, (store) => {
      return { rules: () => store.rules(nobody), setRules: ({ rules }) => store.setRules({ accountId: nobody, rules }) }
    })
  },
  "a resource is kept since the first call, until it is released": {
    "keeps a resource from its last time": altered(RetentionStore, (store) => ({
      keep: (resource, at, account) =>
        Effect.andThen(store.release(resource, account), store.keep(resource, at, account))
    }))
  },
  "an unknown resource or another account's is neither kept nor released": {
    "keeps resources of another account": altered(RetentionStore, (store) => ({
      keep: (resource, at) => store.keep(resource, at)
    }))
  },
  "the owner of a build, preview or run is found until its account is being erased": {
    "finds the owner of a resource while the account is being erased": altered(AccountStore, (store) => {
      const owners = new Map<string, Account>()
      return {
        findOwner: (resource) =>
          Effect.map(store.findOwner(resource), (found) => {
            if (Option.isSome(found)) owners.set(subjectOf(resource), found.value)
            return Option.orElse(found, () => Option.fromUndefinedOr(owners.get(subjectOf(resource))))
          })
      }
    }),
    "answers one owner for every resource": altered(AccountStore, (store) => {
      let first: Account | undefined
      return {
        findOwner: (resource) =>
          Effect.map(
            store.findOwner(resource),
            Option.map((owner) => (first ??= owner))
          )
      }
    })
  }
}

export const sweepMutants: FaultsByCase<MetadataPorts, SharedMemory> = {
  "a build that was never ready expires with its reservations and their bytes, at the end of the last one": {
    "sweeps by its own clock instead of the given time": byOrder((order) =>
      order.until === undefined ? order : { ...order, until: DateTime.nowUnsafe() }
    )
  },
  "a live reservation never expires, and a finalize of an expired one is a conflict that changes nothing": {
    "takes live reservations": byOrder((order) => (order.rule === "abandoned_uploads" ? later(order) : order))
  },
  "an upload expires at the instant at which its build shows another one, which stays": {
    "never finds superseded uploads": asAnother("superseded_uploads", "abandoned_uploads")
  },
  "answers, sessions, share links, used tokens and exchanged keys expire at their ends": Object.fromEntries(
    (["answers", "sessions", "share_links", "used_tokens", "exchanged_keys"] as const).flatMap((rule) => [
      [`takes ${rule} before their end`, byOrder((order) => (order.rule === rule ? later(order) : order))],
      [`never takes ${rule}`, never(rule)]
    ])
  ),
  "previews, runs and billed runs expire by their age, those of the account alone": {
    ...Object.fromEntries(
      (["previews", "runs", "billed"] as const).flatMap((rule) => [
        [
          `takes ${rule} that are younger than they are kept`,
          byOrder((order) => (order.rule === rule ? later(order) : order))
        ],
        [`never takes ${rule}`, never(rule)]
      ])
    ),
    "forgets the account in a rule": altered(SweepStore, (store: Store) => {
      const accounts = new Set<AccountId>()
      return {
        due: Effect.fnUntraced(function* (order, page) {
          if (order.rule === "builds" || !("account" in order)) return yield* store.due(order, page)
          accounts.add(order.account)
          const pages = yield* Effect.forEach(accounts, (account) => store.due({ ...order, account }, page))
          return { due: pages.flatMap(({ due }) => due) }
        })
      }
    })
  },
  "histories expire by the last run, and CI runs by their start, those of the account alone": Object.fromEntries(
    (["histories", "ci_runs"] as const).flatMap((rule) => [
      [
        `takes ${rule} that are younger than they are kept`,
        byOrder((order) => (order.rule === rule ? later(order) : order))
      ],
      [`never takes ${rule}`, never(rule)]
    ])
  ),
  "ready builds of a branch expire beyond a number and beyond an age, but never the latest": {
    "keeps one build too few": byOrder((order) =>
      order.rule === "builds" && order.keep !== undefined ? { ...order, keep: order.keep - 1 } : order
    ),
    "takes a build with a live reservation": byOrder((order) =>
      order.rule === "builds" ? { ...order, now: DateTime.add(order.now, { years: 50 }) } : order
    )
  },
  "removals are stored for items that expire, and for no others": {
    "removes rows without a removal": altered(SweepStore, (store: Store) => ({
      expire: (order, resources) =>
        store.expire(
          order,
          resources.map(({ id }) => ({ id, removals: [] }))
        )
    }))
  },
  "an expiry that is interrupted at any moment is stored whole or not at all": {
    "stores the removals of an expiry when it is done": removingLater(SweepStore, ({ expire }, apart) => ({
      expire: (order, resources) =>
        apart(
          resources.flatMap(({ removals }) => removals),
          expire(order, resources)
        )
    }))
  },
  "of many expiries at once, no two expire the same item": {
    "answers what another call expired": altered(SweepStore, (store: Store) => ({
      expire: (order, resources) =>
        Effect.as(
          store.expire(order, resources),
          resources.map(({ id }) => id)
        )
    }))
  },
  "pages list every due item once, whatever their size": {
    "gives one page alone": altered(SweepStore, (store: Store) => ({
      due: (order, page) => Effect.map(store.due(order, page), ({ due }) => ({ due }))
    }))
  },
  "every reservation that exists is found, open or finalized": {
    "knows none that is finalized": altered(SweepStore, (store: Store) => ({
      findReservations: (ids) =>
        Effect.map(store.findReservations(ids), (all) => all.filter(({ finalizedAt }) => finalizedAt === undefined))
    }))
  },
  "one holder has the lease of a job until it ends or the job is done, and finds its checkpoint": {
    "gives the lease to everyone": altered(SweepStore, (store: Store) => ({
      acquireLease: (request) => store.acquireLease({ ...request, holder: "everyone" })
    }))
  },
  "a holder that acquires the lease until now releases it, and ends nobody else's": {
    "lets everyone release a lease": altered(SweepStore, (store: Store) => ({
      acquireLease: (request) =>
        DateTime.isLessThanOrEqualTo(request.until, request.now)
          ? store.acquireLease({ ...request, latest: request.now })
          : store.acquireLease(request)
    }))
  },
  "a lease that ends after the latest valid time is ignored": {
    "trusts a lease that a clock ahead of time acquired": altered(SweepStore, (store: Store) => ({
      acquireLease: (request) => store.acquireLease({ ...request, latest: DateTime.add(request.latest, { years: 50 }) })
    }))
  },
  "the earlier of a host's time and the engine's time counts, and a past time is unchanged": {
    "trusts its own clock": altered(SweepStore, () => ({ earlierTime: () => DateTime.now }))
  }
}
