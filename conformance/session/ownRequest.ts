import { Effect } from "effect"
import type { Config } from "../config/Config.ts"
import type { Request } from "./Exchange.ts"
import { SuiteFault } from "./SuiteFault.ts"
import { canTamper } from "./tamper.ts"

type Target = Pick<Config, "bindings" | "url">

const fault = ({ bindings, url: baseUrl }: Target, request: Request): string | undefined => {
  const { content, headers, json, method, tamper, url } = request
  if (!/^[A-Z]+$/.test(method)) return `${method} is no method`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return `${url} is no URL to send to`
  // Other URLs came from the target.
  if (url.startsWith(baseUrl) && /\/(?:undefined|null|NaN)(?:[/?]|$)/.test(url))
    return `${url} has a part that is missing`
  if (json !== undefined && content !== undefined) return "A request has one body"
  if (tamper !== undefined && !canTamper(url, tamper, bindings.uploadUrl))
    return `The URL has nothing to tamper with for ${tamper}`
  const named = Object.keys(headers ?? {}).find((name) => /^(?:authorization|cookie|x-api-key)$/i.test(name))
  return named === undefined ? undefined : `The header ${named} belongs to the session`
}

/** Refuses, as a fault of the suite, a request that no check should send to the target. */
export const checked = (target: Target, request: Request): Effect.Effect<Request> => {
  const reason = fault(target, request)
  return reason === undefined ? Effect.succeed(request) : Effect.die(new SuiteFault({ reason }))
}
