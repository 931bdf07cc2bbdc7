import { Effect, Redacted } from "effect"
import { KeyName, type Credential } from "../../session/Exchange.ts"
import { keyHeader } from "../../session/keyHeader.ts"
import { Transport, type Outgoing } from "../../session/transport.ts"
import type { Target } from "../../testing/Target.ts"
import { endpointOf, fieldsOf, queryOf, type Call } from "./Call.ts"
import type { Ask, Front } from "./Front.ts"
import { Reservations } from "./Reservations.ts"
import type { WireDialect } from "./WireDialect.ts"

const accounts = ["a", "b"] as const

/** Whose key each value of the header is. */
const holders = ({ config, keys }: Target): ReadonlyMap<string, Credential> =>
  new Map(
    accounts.flatMap((account) =>
      KeyName.literals.flatMap((key): ReadonlyArray<[string, Credential]> => {
        const own = keys[account][key]
        return own === undefined ? [] : [[headerOf(config.bindings.key, own), { account, key }]]
      })
    )
  )

const headerOf = (binding: Parameters<typeof keyHeader>[0], key: Redacted.Redacted): string =>
  Object.values(keyHeader(binding, key)).join("")

/** The transport to a host of this wire dialect, with a front before it. */
export const faulty = (
  met: { readonly target: Target; readonly transport: Transport["Service"]; readonly dialect: WireDialect },
  front: Front
): Transport["Service"] => {
  const { target, transport, dialect } = met
  const { config, keys } = target
  const header = config.bindings.key.header.toLowerCase()
  const known = holders(target)
  const reservations = new Reservations()

  const call = (own: Outgoing): Call => {
    const request = dialect.toReferenceRequest(own)
    const fields = fieldsOf(request.body)
    const key = request.headers[header]
    return {
      ...request,
      endpoint: endpointOf(request, fields),
      by: key === undefined ? "none" : (known.get(key) ?? "unknown"),
      fields,
      query: queryOf(request.url),
      reservation: reservations.find(request.url, fields.token)
    }
  }
  const headers = ({ by, headers }: Call): Outgoing["headers"] => {
    const key = typeof by === "string" ? undefined : keys[by.account][by.key]
    return key === undefined ? headers : { ...headers, ...keyHeader(config.bindings.key, key) }
  }
  const host: Ask = (call) =>
    transport.send(dialect.fromReferenceRequest({ ...call, headers: headers(call) })).pipe(
      Effect.orDie,
      Effect.map((answer) => dialect.toReferenceAnswer(answer, call)),
      Effect.tap((answer) => Effect.sync(() => reservations.learn(call, answer)))
    )
  const ask = front(host, target, dialect)
  const send = (request: Outgoing) => {
    const asked = call(request)
    return Effect.map(ask(asked), (answer) => dialect.fromReferenceAnswer(answer, asked))
  }
  return Transport.of({ send })
}
