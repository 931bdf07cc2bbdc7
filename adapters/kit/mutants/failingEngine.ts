import { Context, Effect, Layer } from "effect"
import { FailingEngine } from "../parts/interruption.ts"

/** How many statements the engine still runs before it fails. It never fails while there is none. */
const Countdown = Context.Reference<{ left: number } | undefined>("slipway/adapters/kit/mutants/Countdown", {
  defaultValue: () => undefined
})

/** A statement of its own between two steps of a commit, at which the engine can fail. */
export const statement = Effect.flatMap(Countdown, (countdown) =>
  Effect.suspend(() => {
    if (countdown === undefined) return Effect.void
    countdown.left -= 1
    return countdown.left < 0 ? Effect.die("The engine failed.") : Effect.void
  })
)

/** For adapters whose commits are made of such statements. */
export const layerFailingEngine = Layer.succeed(FailingEngine, (nth, commit) =>
  Effect.suspend(() => {
    const countdown = { left: nth }
    return Effect.as(Effect.exit(Effect.provideService(commit, Countdown, countdown)), countdown)
  }).pipe(Effect.map(({ left }) => left < 0))
)
