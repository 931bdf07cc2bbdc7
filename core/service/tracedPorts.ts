import { Effect, Layer, type Context } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { BuildStore } from "../ports/BuildStore.ts"
import { ErasureStore } from "../ports/ErasureStore.ts"
import { IdempotencyStore } from "../ports/IdempotencyStore.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { ObjectStore } from "../ports/ObjectStore.ts"
import { Outbox } from "../ports/Outbox.ts"
import { OverviewStore } from "../ports/OverviewStore.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { RemovalStore } from "../ports/RemovalStore.ts"
import { RateStore } from "../ports/RateStore.ts"
import { RetentionStore } from "../ports/RetentionStore.ts"
import { SweepStore } from "../ports/SweepStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { ReservationStore } from "../ports/ReservationStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { ShareLinkStore } from "../ports/ShareLinkStore.ts"
import { TestRunStore } from "../ports/TestRunStore.ts"
import { TrustStore } from "../ports/TrustStore.ts"
import { UsageStore } from "../ports/UsageStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { inSpan } from "./inSpan.ts"

/**
 * The member of a port, with a span of that name around each call, if a tracer of the host's own is there to see it. What is no
 * effect, such as a number, stays as it is.
 */
const spanned = (name: string, member: unknown): unknown => {
  const around = (made: unknown) => (Effect.isEffect(made) ? inSpan(name)(made) : made)
  return typeof member === "function" ? (...given: ReadonlyArray<unknown>) => around(member(...given)) : around(member)
}

/** The port as it is given, with a span around each call: `AccountStore.insert`. */
const traced = <Self, Shape extends object>(port: Context.Service<Self, Shape>) => {
  const name = port.key.slice(port.key.lastIndexOf("/") + 1)
  const layer: Layer.Layer<Self, never, Self> = Layer.effect(
    port,
    Effect.map(port, (store) => {
      const members = Object.entries(store).map(([member, value]) => [
        member,
        { value: spanned(`${name}.${member}`, value), enumerable: true }
      ])
      const wrapped: Shape = Object.create(store, Object.fromEntries(members))
      return wrapped
    })
  )
  return layer
}

/** Every port as it is given, with a span around each call, for whichever engine is behind it. */
export const layerTracedPorts = Layer.mergeAll(
  traced(AccountStore),
  traced(AuditLog),
  traced(BuildStore),
  traced(ErasureStore),
  traced(IdempotencyStore),
  traced(KeyStore),
  traced(ObjectStore),
  traced(Outbox),
  traced(OverviewStore),
  traced(PreviewStore),
  traced(RemovalStore),
  traced(RateStore),
  traced(RetentionStore),
  traced(SweepStore),
  traced(RepositoryStore),
  traced(ReservationStore),
  traced(SessionStore),
  traced(ShareLinkStore),
  traced(TestRunStore),
  traced(TrustStore),
  traced(UsageStore),
  traced(WebhookStore)
)
