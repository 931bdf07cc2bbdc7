/**
 * The Unix socket in the data folder by which the command line reaches a running host. Only the host's user can open it:
 * it is mode 0600.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Effect, Layer } from "effect"
import { RpcClient, RpcSerialization, RpcServer } from "effect/rpc"
import { RpcClientError } from "effect/rpc/RpcClientError"
import { chmodSync, rmSync } from "node:fs"
import { Unavailable } from "../../../core/model/Problem.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { AdministrationRpcs } from "../../../core/service/administrationMethods.ts"
import { socketPath } from "./socketAddress.ts"

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

/** `Administration` through the host that runs on a data folder. */
export const layerClient = (folder: string) =>
  Layer.effect(
    Administration,
    Effect.map(RpcClient.make(AdministrationRpcs), (client) => {
      const reached =
        <Order, A, E>(call: (order: Order) => Effect.Effect<A, E | RpcClientError>) =>
        (order: Order): Effect.Effect<A, E | Unavailable> =>
          Effect.mapError(call(order), (error) => (error instanceof RpcClientError ? Unavailable.answer : error))
      return Administration.of({
        createAccount: reached(client.createAccount),
        listAccounts: reached(client.listAccounts),
        createKey: reached(client.createKey),
        listKeys: reached(client.listKeys),
        revokeKey: reached(client.revokeKey),
        rotateKey: reached(client.rotateKey),
        linkRepository: reached(client.linkRepository),
        unlinkRepository: reached(client.unlinkRepository),
        listRepositories: reached(client.listRepositories),
        createShareLink: reached(client.createShareLink),
        listShareLinks: reached(client.listShareLinks),
        revokeShareLink: reached(client.revokeShareLink),
        usage: reached(client.usage)
      })
    })
  ).pipe(
    Layer.provide(RpcClient.layerProtocolSocket()),
    Layer.provide(Layer.unwrap(Effect.map(socketPath(folder), (path) => NodeSocket.layerNet({ path })))),
    Layer.provide(RpcSerialization.layerNdjson)
  )
