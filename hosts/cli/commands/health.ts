import { Data, Effect, Result } from "effect"
import { Command } from "effect/cli"
import { print } from "../parts/print.ts"
import { serveFlags, serveSettings } from "./serve.ts"

/** The host does not answer, or is not ready. */
class Unhealthy extends Data.TaggedError("Unhealthy")<{ readonly message: string }> {}

/** The address of the host for this machine, also where it listens on every address. */
const addressOf = ({ host, port }: { readonly host: string; readonly port: number }): string => {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`
}

export const health = Command.make("health", serveFlags, (input) =>
  Effect.gen(function* () {
    const url = addressOf(yield* serveSettings(input))
    const answer = yield* Effect.result(Effect.tryPromise((signal) => fetch(`${url}/readyz`, { signal })))
    if (Result.isFailure(answer)) return yield* new Unhealthy({ message: `No host answers at ${url}.` })
    const { status } = answer.success
    if (status !== 200)
      return yield* new Unhealthy({ message: `The host at ${url} is not ready (${status}). Its log names the engine.` })
    yield* print(input.json, { url, ready: true }, [`The host at ${url} is ready.`])
  })
).pipe(Command.withDescription("Check that the host of these settings, on this machine, is ready"))
