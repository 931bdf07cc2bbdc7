/** Every port of the core, listed once: layers, spans, injected faults and the kit derive from this list. */
import { Context, Effect } from "effect"
import { AccountStore } from "./AccountStore.ts"
import { AuditLog } from "./AuditLog.ts"
import { BuildStore } from "./BuildStore.ts"
import { ErasureStore } from "./ErasureStore.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"
import { KeyStore } from "./KeyStore.ts"
import { ObjectStore } from "./ObjectStore.ts"
import { Outbox } from "./Outbox.ts"
import { OverviewStore } from "./OverviewStore.ts"
import { PreviewStore } from "./PreviewStore.ts"
import { QuarantineStore } from "./QuarantineStore.ts"
import { RateStore } from "./RateStore.ts"
import { ObjectDeletionStore } from "./ObjectDeletionStore.ts"
import { RepositoryStore } from "./RepositoryStore.ts"
import { ReservationStore } from "./ReservationStore.ts"
import { RetentionStore } from "./RetentionStore.ts"
import { SessionStore } from "./SessionStore.ts"
import { ShareLinkStore } from "./ShareLinkStore.ts"
import { SweepStore } from "./SweepStore.ts"
import { TestHistoryStore } from "./TestHistoryStore.ts"
import { TestRunStore } from "./TestRunStore.ts"
import { TrustStore } from "./TrustStore.ts"
import { UsageStore } from "./UsageStore.ts"
import { WebhookStore } from "./WebhookStore.ts"

/** The ports that keep metadata. An adapter for a database implements all of them. */
export const metadataPorts = [
  AccountStore,
  AuditLog,
  BuildStore,
  ErasureStore,
  IdempotencyStore,
  KeyStore,
  Outbox,
  OverviewStore,
  PreviewStore,
  QuarantineStore,
  RateStore,
  ObjectDeletionStore,
  RepositoryStore,
  ReservationStore,
  RetentionStore,
  SessionStore,
  ShareLinkStore,
  SweepStore,
  TestHistoryStore,
  TestRunStore,
  TrustStore,
  UsageStore,
  WebhookStore
] as const

/** Every port that an adapter implements. */
export const ports = [...metadataPorts, ObjectStore] as const

type Port = (typeof ports)[number]
/** The identifiers of the metadata ports, as a layer has them. */
export type MetadataPorts = (typeof metadataPorts)[number]["Identifier"]
/** The identifiers of all ports, which `layer` requires from adapters. */
export type Ports = Port["Identifier"]

type NameOf<Key extends string> = Key extends `slipway/core/ports/${infer Name}` ? Name : never
/** `"AccountStore"` and so on. */
export type MetadataPortName = NameOf<(typeof metadataPorts)[number]["key"]>

/** The name of a port: `AccountStore`. */
export const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1)

/** An implementation of each metadata port, by the port's name. */
export type MetadataImplementations = {
  readonly [P in (typeof metadataPorts)[number] as NameOf<P["key"]>]: P["Service"]
}

/** A context with these implementations. */
export const metadataContext = (implementations: MetadataImplementations): Context.Context<MetadataPorts> => {
  const byName: Readonly<Record<string, object>> = implementations
  return Context.makeUnsafe(new Map(metadataPorts.map(({ key }) => [key, byName[nameOf(key)]])))
}

const keys = new Set<string>(ports.map(({ key }) => key))

/** The same context, with `wrap` applied to the implementation of each port. */
export const mapPorts = <R>(
  context: Context.Context<R>,
  wrap: (implementation: object, port: string) => object
): Context.Context<R> =>
  Context.makeUnsafe(
    new Map(
      Array.from(context.mapUnsafe, ([key, service]) => [key, keys.has(key) ? wrap(service, nameOf(key)) : service])
    )
  )

type Call = Effect.Effect<unknown, unknown, unknown>

/** The member of a port with `around` applied to each call. A member that is not an effect, such as a number, is unchanged. */
const aroundMember = (around: (call: Call) => Call, member: unknown): unknown => {
  const applied = (made: unknown) => (Effect.isEffect(made) ? around(made) : made)
  return typeof member === "function"
    ? (...given: ReadonlyArray<unknown>) => applied(member(...given))
    : applied(member)
}

/** The same ports, of any engine, with an effect around each call of a method such as `AccountStore` `insert`. */
export const aroundCalls = (
  given: Context.Context<Ports>,
  around: (port: string, method: string) => (call: Call) => Call
) =>
  mapPorts(Context.pick(...ports)(given), (implementation, port) => {
    const members = Object.entries(implementation).map(([member, value]) => [
      member,
      { value: aroundMember(around(port, member), value), enumerable: true }
    ])
    return Object.create(implementation, Object.fromEntries(members))
  })
