import { Effect, Option } from "effect"
import { AccountStore, NameTaken } from "../../core/ports/AccountStore.ts"
import { byText } from "./state.ts"
import type { State } from "./state.ts"

export const accountStore = (state: State) =>
  AccountStore.of({
    insert: (account) =>
      Effect.suspend(() => {
        for (const { name } of state.accounts.values()) {
          if (name === account.name) return Effect.fail(new NameTaken())
        }
        state.accounts.set(account.id, account)
        return Effect.void
      }),
    findByName: (name) =>
      Effect.sync(() => Option.fromUndefinedOr(state.accounts.values().find((one) => one.name === name))),
    list: Effect.sync(() => [...state.accounts.values()].toSorted((a, b) => byText(a.name, b.name)))
  })
