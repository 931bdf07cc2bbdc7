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
import { AdministrationRpcs } from "./rpcs.ts"
import { socketPath } from "./socketAddress.ts"

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
    createShareLink: (order) => administration.createShareLink(order),
    listShareLinks: (order) => administration.listShareLinks(order),
    revokeShareLink: (order) => administration.revokeShareLink(order),
    usage: ({ account }) => administration.usage(account)
  }))
)

/**
 * Serves `Administration` on the socket of a data folder. The caller holds the folder's lock, so a socket that is
 * already there was left by a host that died.
 */
export const layerServer = (folder: string) =>
  Layer.unwrap(
    Effect.map(socketPath(folder), (path) => {
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
        createShareLink: ({ account, life, shared }) =>
          reached(client.createShareLink({ account, shared, ...(life === undefined ? {} : { life }) })),
        listShareLinks: (order) => reached(client.listShareLinks(order)),
        revokeShareLink: (order) => reached(client.revokeShareLink(order)),
        usage: (account) => reached(client.usage({ account }))
      })
    })
  ).pipe(
    Layer.provide(RpcClient.layerProtocolSocket()),
    Layer.provide(Layer.unwrap(Effect.map(socketPath(folder), (path) => NodeSocket.layerNet({ path })))),
    Layer.provide(RpcSerialization.layerNdjson)
  )
