import { Effect, Layer, Option } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import { AccountStore, NameTaken } from "../../../core/ports/AccountStore.ts"
import { layerMetadata } from "../../memory/index.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

/** Treats two names as the same when `form` makes them equal. */
const comparing = (form: (name: string) => string) =>
  altered(AccountStore, (store) => ({
    ...store,
    insert: (account) =>
      Effect.flatMap(store.list, (all) =>
        all.some(({ name }) => form(name) === form(account.name)) ? Effect.fail(new NameTaken()) : store.insert(account)
      )
  }))

const ordering = (compare: (a: string, b: string) => number) =>
  altered(AccountStore, (store) => ({
    ...store,
    list: Effect.map(store.list, (all) => all.toSorted((a, b) => compare(a.name, b.name)))
  }))

export const accountMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "takes one name twice when both ask at once",
    caughtBy: "AccountStore > exactly one of many concurrent inserts of one name succeeds",
    adapter: altered(AccountStore, (store) => {
      const second: Array<Account> = []
      return {
        ...store,
        insert: Effect.fnUntraced(function* (account) {
          if (Option.isSome(yield* store.findByName(account.name))) return yield* new NameTaken()
          yield* Effect.yieldNow
          yield* Effect.catchTag(store.insert(account), "NameTaken", () => Effect.sync(() => void second.push(account)))
        }),
        list: Effect.map(store.list, (all) => [...all, ...second])
      }
    })
  },
  {
    fault: "compares names without regard to case",
    caughtBy: "AccountStore > names that differ by case, by a space or by their Unicode form are different names",
    adapter: comparing((name) => name.toLowerCase())
  },
  {
    fault: "compares names in their Unicode normal form",
    caughtBy: "AccountStore > names that differ by case, by a space or by their Unicode form are different names",
    adapter: comparing((name) => name.normalize("NFC"))
  },
  {
    fault: "compares the first 255 characters of names",
    caughtBy: "AccountStore > names of the greatest length that differ in their last character are different names",
    adapter: comparing((name) => name.slice(0, 255))
  },
  {
    fault: "loses characters of the private use planes",
    caughtBy: "AccountStore > every character that a name may hold comes back, and the list is ordered by code unit",
    adapter: altered(AccountStore, (store) => ({
      ...store,
      insert: (account) => store.insert({ ...account, name: account.name.replaceAll(/[\u{f0000}-\u{10ffff}]/gu, "?") })
    }))
  },
  {
    fault: "lists accounts in the order of a language",
    caughtBy: "AccountStore > the list is ordered by name by code unit, not as a language or UTF-8 would",
    adapter: ordering((a, b) => a.localeCompare(b))
  },
  {
    fault: "lists accounts in the order of UTF-8",
    caughtBy: "AccountStore > the list is ordered by name by code unit, not as a language or UTF-8 would",
    adapter: ordering((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  },
  {
    fault: "keeps what an earlier case stored",
    caughtBy: "AccountStore > a new store is empty and holds nothing that another case stored",
    adapter: Layer.succeedContext(Effect.runSync(Effect.scoped(Layer.build(layerMetadata))))
  }
]
