import { Data, Effect, Runtime } from "effect"
import type { Config } from "../config/Config.ts"
import { Transport } from "../session/transport.ts"

/** The target can't be reached. The message is one sentence for a person. */
export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly reason: string }> {
  override readonly [Runtime.errorExitCode] = 3

  override get message() {
    return this.reason
  }
}

/** Fails when nothing answers HTTP at the target. Any answer passes, because the checks judge the answers. */
export const reach = Effect.fnUntraced(function* ({ timeoutMs, url }: Pick<Config, "url" | "timeoutMs">) {
  const { send } = yield* Transport
  const probe = { method: "GET", url: `${url}/api/v1/builds`, headers: {}, body: undefined, timeoutMs }
  yield* Effect.mapError(send(probe), ({ reason }) => new Unreachable({ reason }))
})
