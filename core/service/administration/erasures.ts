import { Effect, Option } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Erasures } from "../Erasures.ts"
import type { Commands } from "./Commands.ts"
import { refuse } from "./refuse.ts"

/** Erasing accounts, step by step. */
export const makeErasureCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const erasures = yield* Erasures

  const commands: Commands<"eraseAccount" | "eraseStep"> = {
    eraseAccount: Effect.fn("Administration.eraseAccount")(function* ({ account: name }) {
      const account = Option.getOrUndefined(yield* accounts.findByName(name))
      const begun = account && (yield* erasures.begin(account))
      return begun ?? (yield* erasures.named(name)) ?? (yield* refuse(`There is no account named ${name}.`))
    }),

    eraseStep: Effect.fn("Administration.eraseStep")(function* ({ id }) {
      const erasing = Effect.map(erasures.list, (all) => all.find((one) => one.id === id))
      const before = yield* erasing
      if (before === undefined) return yield* refuse(`The account ${id} is not being erased.`)
      const gone = yield* erasures.step(before)
      return { ...((yield* erasing) ?? before), isDone: Object.keys(gone).length === 0 }
    })
  }
  return commands
})
