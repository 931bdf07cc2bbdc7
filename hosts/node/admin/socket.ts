/**
 * The Unix socket in the data folder by which the command line reaches a running host. Only the folder's user can open
 * it: the folder is mode 0700 and the socket 0600.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Effect, Layer } from "effect"
import { RpcClient, RpcSerialization, RpcServer } from "effect/rpc"
import { RpcClientError } from "effect/rpc/RpcClientError"
import { chmodSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Unavailable } from "../../../core/model/Problem.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { AdministrationRpcs } from "./rpcs.ts"

const socketPath = (folder: string): string => join(folder, "admin.sock")

const handlers = AdministrationRpcs.toLayer(
  Effect.map(Administration, (administration) => ({
    createAccount: ({ name }) => administration.createAccount(name),
    listAccounts: () => administration.listAccounts,
    createKey: (order) => administration.createKey(order),
    listKeys: ({ account }) => administration.listKeys(account),
    revokeKey: ({ id }) => administration.revokeKey(id),
    rotateKey: ({ id, overlap }) => administration.rotateKey(id, overlap),
    linkRepository: (order) => administration.linkRepository(order),
    unlinkRepository: (order) => administration.unlinkRepository(order),
    listRepositories: ({ account }) => administration.listRepositories(account),
    usage: ({ account }) => administration.usage(account)
  }))
)

/**
 * Serves `Administration` on the socket of a data folder. The caller holds the folder's lock, so a socket that is
 * already there was left by a host that died.
 */
export const layerServer = (folder: string) =>
  Layer.unwrap(
    Effect.sync(() => {
      const path = socketPath(folder)
      rmSync(path, { force: true })
      const listening = NodeSocketServer.layer({ path })
      const closed = Layer.effectDiscard(Effect.sync(() => chmodSync(path, 0o600))).pipe(Layer.provide(listening))
      return RpcServer.layer(AdministrationRpcs).pipe(
        Layer.provide(handlers),
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
      const reached = <A, E>(call: Effect.Effect<A, E | RpcClientError>): Effect.Effect<A, E | Unavailable> =>
        Effect.mapError(call, (error) => (error instanceof RpcClientError ? Unavailable.answer : error))
      return Administration.of({
        createAccount: (name) => reached(client.createAccount({ name })),
        listAccounts: reached(client.listAccounts()),
        createKey: ({ account, life, name, scopes }) =>
          reached(client.createKey({ account, name, scopes, ...(life === undefined ? {} : { life }) })),
        listKeys: (account) => reached(client.listKeys({ account })),
        revokeKey: (id) => reached(client.revokeKey({ id })),
        rotateKey: (id, overlap) => reached(client.rotateKey({ id, overlap })),
        linkRepository: (order) => reached(client.linkRepository(order)),
        unlinkRepository: (order) => reached(client.unlinkRepository(order)),
        listRepositories: (account) => reached(client.listRepositories({ account })),
        usage: (account) => reached(client.usage({ account }))
      })
    })
  ).pipe(
    Layer.provide(RpcClient.layerProtocolSocket()),
    Layer.provide([NodeSocket.layerNet({ path: socketPath(folder) }), RpcSerialization.layerNdjson])
  )
