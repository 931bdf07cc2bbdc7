import { Effect, Option } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import { AccountStore, NameTaken } from "../../../core/ports/AccountStore.ts"
import { makeAccount } from "../parts/samples.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"

/** Treats two names as the same when `form` makes them equal. */
const comparing = (form: (name: string) => string) =>
  altered(AccountStore, (store) => ({
    insert: (account) =>
      Effect.flatMap(store.list, (all) =>
        all.some(({ name }) => form(name) === form(account.name)) ? Effect.fail(new NameTaken()) : store.insert(account)
      )
  }))

const ordering = (compare: (a: string, b: string) => number) =>
  altered(AccountStore, (store) => ({
    list: Effect.map(store.list, (all) => all.toSorted((a, b) => compare(a.name, b.name)))
  }))

export const accountMutants: MetadataFaults = {
  "exactly one of many concurrent inserts of one name succeeds": {
    "stores one name twice when two ask at once": altered(AccountStore, (store) => {
      const second: Array<Account> = []
      return {
        insert: Effect.fnUntraced(function* (account) {
          if (Option.isSome(yield* store.findByName(account.name))) return yield* new NameTaken()
          yield* Effect.yieldNow
          yield* Effect.catchTag(store.insert(account), "NameTaken", () => Effect.sync(() => void second.push(account)))
        }),
        list: Effect.map(store.list, (all) => [...all, ...second])
      }
    })
  },
  "texts of every kind in an account come back unchanged, and no two are the same": {
    "compares names in their Unicode normal form": comparing((name) => name.normalize("NFC")),
    "loses characters of the private use planes": altered(AccountStore, (store) => ({
      insert: (account) => store.insert({ ...account, name: account.name.replaceAll(/[\u{f0000}-\u{10ffff}]/gu, "?") })
    }))
  },
  "the list is ordered by name by code unit, not as a language or UTF-8 would": {
    "lists accounts in the order of UTF-8": ordering((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  },
  "a new store is empty and holds nothing that another case stored": {
    "keeps what an earlier case stored": altered(AccountStore, (store) => ({
      list: Effect.map(store.list, (all) => [...all, makeAccount()])
    }))
  }
}
