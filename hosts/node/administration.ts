import { Effect, Layer, Result, Schedule } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { Administration } from "../../core/service/Administration.ts"
import * as AdminSocket from "./admin/socket.ts"
import { layerEmbeddedMetadata } from "./embedded.ts"
import type { ProcessSettings } from "./settings.ts"

/**
 * `Administration` on the stores that the settings name. Embedded engines belong to one process: while a host runs on
 * the data folder, orders go through that host. Another command, or a host that is just starting, is waited for, up to
 * ten seconds.
 */
export const layerAdministration = ({ data }: Pick<ProcessSettings, "data">) => {
  const direct = Administration.layer.pipe(Layer.provide(layerEmbeddedMetadata(data)), Layer.provide(layerWebCrypto))
  const reached = Effect.gen(function* () {
    const own = yield* Effect.result(Layer.build(direct))
    if (Result.isSuccess(own)) return own.success
    const inUse = own.failure._tag === "DataFolderInUse"
    return inUse && (yield* AdminSocket.isListening(data))
      ? yield* Layer.build(AdminSocket.layerClient(data))
      : yield* Effect.fail(own.failure)
  })
  return Layer.effectContext(
    Effect.retry(reached, {
      while: ({ _tag }) => _tag === "DataFolderInUse",
      schedule: Schedule.spaced("100 millis"),
      times: 100
    })
  )
}
