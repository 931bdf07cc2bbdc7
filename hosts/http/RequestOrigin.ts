import { Context, Option, Result, type Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import { NetAddress } from "effect/net"

/** What only the server knows of a request or of a call of `run`. */
export interface RequestOrigin {
  /** The IP address of the connection's peer. Limits of wrong keys, the audit log and the security log use it. */
  readonly clientAddress?: string | undefined
  /** Who acts, in the audit log, such as the id of a user of yours. Requests with an API key have the key instead. */
  readonly actor?: string | undefined
}

/** The origin of the current request. */
export const CurrentOrigin = Context.Reference<RequestOrigin>("slipway/hosts/http/CurrentOrigin", {
  defaultValue: () => ({})
})

/**
 * The origin in the second argument of `fetch`, which servers such as Bun's and Deno's call with an argument of their own.
 * Throws a `TypeError` if a field is no text, or no address.
 */
export const originOf = (given: unknown): RequestOrigin => {
  const { actor, clientAddress = "" }: { readonly actor?: unknown; readonly clientAddress?: unknown } = Object(given)
  if (actor !== undefined && (typeof actor !== "string" || actor === "")) {
    throw new TypeError("actor must be a text that isn't empty, such as the id of a user")
  }
  // Node's server has no address for a connection that has ended, or that came by a Unix socket.
  if (clientAddress === "") return { actor }
  if (typeof clientAddress !== "string" || Result.isFailure(NetAddress.ipFromString(clientAddress))) {
    throw new TypeError(`clientAddress must be an IP address without a port, such as 192.0.2.1; it is ${clientAddress}`)
  }
  return { actor, clientAddress }
}

/** The request of a fiber, which comes from the address of its origin, if that has one. */
export const fromOrigin = (fiber: Fiber.Fiber<unknown, unknown>): HttpServerRequest.HttpServerRequest => {
  const { clientAddress } = Context.get(fiber.context, CurrentOrigin)
  const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
  if (clientAddress === undefined) return request
  const located = request.modify({ remoteAddress: Option.some(clientAddress) })
  fiber.setContext(Context.add(fiber.context, HttpServerRequest.HttpServerRequest, located))
  return located
}
