import { Effect, Option } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { refuse } from "./refuse.ts"

/** Finds an account by the name that an administrator gives. */
export const makeAccountNamed = Effect.map(AccountStore, (accounts) =>
  Effect.fnUntraced(function* (name: string) {
    const found = yield* accounts.findByName(name)
    return Option.isSome(found) ? found.value : yield* refuse(`There is no account named ${name}.`)
  })
)
