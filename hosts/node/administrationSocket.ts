/**
 * The Unix socket in the data folder by which the command line reaches a running host. Only the host's user can open it:
 * it is mode 0600.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Effect, Layer, Record } from "effect"
import { RpcClient, RpcSerialization, RpcServer } from "effect/rpc"
import { RpcClientError } from "effect/rpc/RpcClientError"
import { chmodSync, rmSync } from "node:fs"
import { Unavailable } from "../../core/model/Problem.ts"
import { Administration } from "../../core/service/Administration.ts"
import { AdministrationRpcs } from "../../core/service/administrationMethods.ts"
import { socketPath } from "./settings/dataFolder.ts"

/**
 * Serves `Administration` on the socket of a data folder. The caller holds the folder's lock, so a socket that is
 * already there was left by a host that died.
 */
export const layerServer = (folder: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const path = yield* socketPath(folder)
      yield* Effect.sync(() => rmSync(path, { force: true }))
      const listening = NodeSocketServer.layer({ path })
      const closed = Layer.effectDiscard(Effect.sync(() => chmodSync(path, 0o600))).pipe(Layer.provide(listening))
      return RpcServer.layer(AdministrationRpcs).pipe(
        Layer.provide(AdministrationRpcs.toLayer(Administration)),
        Layer.provide(RpcServer.layerProtocolSocketServer),
        Layer.provide([listening, RpcSerialization.layerNdjson]),
        Layer.merge(closed)
      )
    })
  )

type Client = RpcClient.FromGroup<typeof AdministrationRpcs, RpcClientError>

/** The methods of `Administration` by a client; when the host can't be reached, they fail with `Unavailable`. */
function methodsOf(client: Client): Administration["Service"]
function methodsOf(client: Readonly<Record<string, (order: never) => Effect.Effect<unknown, unknown>>>): object {
  return Record.map(
    client,
    (call) => (order: never) =>
      Effect.mapError(call(order), (error) => (error instanceof RpcClientError ? Unavailable.default : error))
  )
}

/** `Administration` through the host that runs on a data folder. */
export const layerClient = (folder: string) =>
  Layer.effect(Administration, Effect.map(RpcClient.make(AdministrationRpcs), methodsOf)).pipe(
    Layer.provide(RpcClient.layerProtocolSocket()),
    Layer.provide(Layer.unwrap(Effect.map(socketPath(folder), (path) => NodeSocket.layerNet({ path })))),
    Layer.provide(RpcSerialization.layerNdjson)
  )
