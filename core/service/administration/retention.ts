import { DateTime, Effect, Option } from "effect"
import { nameOfResource } from "../../model/Resource.ts"
import type { RetentionRules } from "../../model/Retention.ts"
import { RetentionStore } from "../../ports/RetentionStore.ts"
import { changesText } from "../../rules/audit.ts"
import { refuseRules, rulesFor } from "../../rules/retention.ts"
import { makeAuditing } from "../auditing.ts"
import { makeKeeping } from "../Keeping.ts"
import { Settings } from "../Settings.ts"
import { Sweeps } from "../sweeps/Sweeps.ts"
import { makeAccountNamed } from "./accountNamed.ts"
import { ofAccount } from "../auditSubjects.ts"
import type { Commands } from "./Commands.ts"
import { refuse } from "./refuse.ts"

/** The command-line flag of a rule, such as `--builds-per-branch`. */
const flagOf = (rule: string): string => `--${rule.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`

/** Keeping resources, retention rules, and sweeps on demand. */
export const makeRetentionCommands = Effect.gen(function* () {
  const retention = yield* RetentionStore
  const sweeps = yield* Sweeps
  const { reservationTtl, retention: deployment } = yield* Settings
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing
  const keeping = yield* makeKeeping

  const commands: Commands<"sweepStep" | "keep" | "release" | "retain"> = {
    sweepStep: (params) => sweeps.step(params),

    keep: Effect.fn("Administration.keep")(function* ({ resource }) {
      const kept = yield* keeping.keep(resource)
      return Option.isSome(kept)
        ? kept.value
        : yield* refuse(`There is no ${nameOfResource(resource)}, or it was deleted.`)
    }),

    release: Effect.fn("Administration.release")(function* ({ resource }) {
      if (!(yield* keeping.release(resource))) {
        return yield* refuse(`There is no ${nameOfResource(resource)}, or it was deleted.`)
      }
    }),

    retain: Effect.fn("Administration.retain")(function* ({ forget, rules, ...params }) {
      const account = yield* accountNamed(params.account)
      const before = Option.getOrElse(yield* retention.rules(account.id), (): RetentionRules => ({}))
      const kept = Object.fromEntries(Object.entries(before).filter(([rule]) => !forget.includes(rule)))
      const own: RetentionRules = { ...kept, ...rules }
      const holding = rulesFor(deployment, own)
      const refused = refuseRules(holding, reservationTtl)
      if (refused !== undefined) return yield* refuse(`${flagOf(refused.rule)} ${refused.message}`)
      const changes = changesText(before, own)
      if (changes !== "") {
        yield* auditing(
          ofAccount("retention.changed", account, yield* DateTime.now, changes),
          retention.setRules({ accountId: account.id, rules: own })
        )
      }
      return { account, own, holding }
    })
  }
  return commands
})
