import type { Context, Effect } from "effect"
import {
  mapPorts,
  metadataContext,
  type MetadataImplementations,
  type MetadataPorts
} from "../../core/ports/registry.ts"
import { accountStore, idempotencyStore, rateStore, retentionStore } from "./accounts.ts"
import { auditLog } from "./auditLog.ts"
import type { Engine } from "./Engine.ts"
import { quarantineStore } from "./quarantines.ts"
import { erasureStore } from "./deletions.ts"
import { keyStore, sessionStore } from "./keys.ts"
import { outbox, webhookStore } from "./outbox.ts"
import { objectDeletionStore } from "./hostedObjects.ts"
import { sweepStore } from "./sweeps.ts"
import { repositoryStore, trustStore } from "./repositories.ts"
import { reservationStore, usageStore } from "./usage.ts"
import { shareLinkStore } from "./shareLinks.ts"
import { testHistoryStore } from "./testHistories.ts"
import { readFully } from "./values.ts"

/** The reads that answer a page: the last parameter is its limit, or has it. A page is full although rows of it can't be decoded. */
const pages: { readonly [Port in keyof MetadataImplementations]?: ReadonlyArray<keyof MetadataImplementations[Port]> } =
  {
    AuditLog: ["list"],
    ErasureStore: ["uploads"],
    ObjectDeletionStore: ["list"],
    Outbox: ["dead"],
    OverviewStore: ["branches", "builds", "previews", "runsOf", "uploads"],
    QuarantineStore: ["due", "list"],
    SessionStore: ["list"],
    ShareLinkStore: ["list"],
    TestHistoryStore: ["ciRuns", "list", "searchCiRuns", "searchTests", "storedRuns", "unfinished"],
    TestRunStore: ["list"],
    WebhookStore: ["attempts"]
  }

type Method = (...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

const readingFully =
  (method: Method): Method =>
  (...given) => {
    const last = given.at(-1)
    const limit: number = typeof last === "number" ? last : Object(last).limit
    return readFully(limit, (limit) =>
      method(...given.with(given.length - 1, typeof last === "number" ? limit : { ...Object(last), limit }))
    )
  }

const withFullPages = (ports: Context.Context<MetadataPorts>): Context.Context<MetadataPorts> =>
  mapPorts(ports, (implementation, port) => {
    const methods = new Map(Object.entries<unknown>({ ...implementation }))
    for (const name of new Map<string, ReadonlyArray<string>>(Object.entries(pages)).get(port) ?? []) {
      methods.set(name, readingFully(methods.get(name) as Method))
    }
    return Object.fromEntries(methods)
  })

/** Every metadata port on an engine: the shared ones, and those that the engine implements itself. */
export const portsOf = (
  engine: Engine,
  own: Pick<MetadataImplementations, "BuildStore" | "OverviewStore" | "PreviewStore" | "TestRunStore">
) =>
  withFullPages(
    metadataContext({
      ...own,
      AccountStore: accountStore(engine),
      AuditLog: auditLog(engine),
      ErasureStore: erasureStore(engine),
      IdempotencyStore: idempotencyStore(engine),
      KeyStore: keyStore(engine),
      Outbox: outbox(engine),
      QuarantineStore: quarantineStore(engine),
      RateStore: rateStore(engine),
      ObjectDeletionStore: objectDeletionStore(engine),
      RepositoryStore: repositoryStore(engine),
      ReservationStore: reservationStore(engine),
      RetentionStore: retentionStore(engine),
      SessionStore: sessionStore(engine),
      ShareLinkStore: shareLinkStore(engine),
      SweepStore: sweepStore(engine),
      TestHistoryStore: testHistoryStore(engine),
      TrustStore: trustStore(engine),
      UsageStore: usageStore(engine),
      WebhookStore: webhookStore(engine)
    })
  )
