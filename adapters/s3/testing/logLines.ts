import { Effect, Logger } from "effect"

/** Runs an effect and answers its result with its log lines. */
export const withLogLines = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const keep = Logger.make(({ logLevel, message }) => {
      lines.push(`${logLevel}: ${Array.isArray(message) ? message.join(" ") : String(message)}`)
    })
    return Effect.map(Effect.provide(effect, Logger.layer([keep])), (result) => ({ lines, result }))
  })
