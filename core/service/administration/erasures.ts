import { DateTime, Effect, Option } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Erasures } from "../Erasures.ts"
import type { Commands } from "./Commands.ts"
import { refuse } from "./refuse.ts"

/** Erasing accounts, step by step. */
export const makeErasureCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const erasures = yield* Erasures

  const commands: Commands<"eraseAccount" | "eraseStep"> = {
    eraseAccount: Effect.fn("Administration.eraseAccount")(function* ({ account: name, id }) {
      const found = Option.getOrUndefined(yield* accounts.findByName(name))
      const account = id === undefined || found?.id === id ? found : undefined
      const earlier = yield* erasures.named(name, id)
      if (account !== undefined && earlier !== undefined) {
        const began = DateTime.formatIso(earlier.erasure.at)
        return yield* refuse(
          `An account named ${name} is being erased since ${began}, ${earlier.id}, and there is a new one of that name, ` +
            `${account.id}. Say by --id which one is meant.`
        )
      }
      const begun = account && (yield* erasures.begin(account))
      // Another command may have begun it in between.
      const known = begun ?? earlier ?? (yield* erasures.named(name, id))
      return (
        known ?? (yield* refuse(`There is no account named ${name}${id === undefined ? "" : ` with the id ${id}`}.`))
      )
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
