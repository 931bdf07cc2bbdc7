/** The columns of the model's entities, in which the engines store them. */
import { Schema, Struct, type DateTime } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import { jsonColumn } from "./values.ts"
import { Account, AccountQuotas, AccountRetention, RetentionRules } from "../../core/model/Account.ts"
import { ApiKey, Session } from "../../core/model/ApiKey.ts"
import { Digests } from "../../core/model/Artifact.ts"
import { AuditActor, AuditEntry } from "../../core/model/AuditEntry.ts"
import { Build, BuildDeclaration, BuildReservation } from "../../core/model/Build.ts"
import { Erasure, KnownAccount } from "../../core/model/Erasure.ts"
import { HostedObject, Removal } from "../../core/model/HostedObject.ts"
import { IdempotentAnswer } from "../../core/model/Idempotency.ts"
import { BilledTestRun, KnownRepository } from "../../core/model/MetadataRecord.ts"
import { Preview, PreviewDeclaration } from "../../core/model/Preview.ts"
import { Resource, ShareLink } from "../../core/model/Resource.ts"
import { PinnedIds, Repository, RepositoryTrust, TrustConditions } from "../../core/model/Repository.ts"
import { Reservation, StoredUpload } from "../../core/model/Reservation.ts"
import { RunAttempt, RunDevice, TestRun } from "../../core/model/TestRun.ts"
import {
  CiRun,
  PackedResults,
  TestHistory,
  type ImportAnnouncement,
  type TestSummary
} from "../../core/model/TestHistory.ts"
import { DeliveryAttempt, Webhook } from "../../core/model/SlipwayEvent.ts"

/** The schemas of an engine's columns for times, truth values, JSON and lists of texts. */
export interface ColumnTypes {
  readonly Time: Schema.Codec<DateTime.Utc, unknown>
  readonly Truth: Schema.Codec<boolean, unknown>
  readonly json: <A>(model: Schema.Codec<A, unknown>) => Schema.Codec<A, unknown>
  readonly list: <A>(model: Schema.Codec<A, unknown>) => Schema.Codec<A, unknown>
}

const DigestsText = jsonColumn(Digests)
const OptionalDigests = Schema.optionalKey(DigestsText)

const encodeDigests = jsonEncoder(Digests)

/** The column of the digests that an upload's finalize recorded. */
export const digestsText = ({ digests }: { readonly digests?: Digests }): string | null =>
  digests === undefined ? null : encodeDigests(digests)

/** A column of JSON text that is only parsed, because every registration reads and writes it. */
const parsed = <A>(): Schema.Codec<A, string> =>
  jsonColumn(Schema.declare((value: unknown): value is A => value !== undefined))

/** The model's structs with the types of the columns. */
export const entitiesOf = ({ json, list, Time, Truth }: ColumnTypes) => {
  const OptionalTime = Schema.optionalKey(Time)
  const stored = Schema.optionalKey(json(StoredUpload))
  const reserved = { reservedAt: Time, expiresAt: Time, finalizedAt: OptionalTime, stored }
  const testHistory = Schema.Struct({
    ...TestHistory.fields,
    lastRunAt: Time,
    lastFlakyAt: OptionalTime,
    summary: parsed<TestSummary>(),
    results: PackedResults
  })
  return {
    account: Schema.Struct({ ...Account.fields, createdAt: Time }),
    knownAccount: Schema.Struct({
      ...KnownAccount.fields,
      createdAt: Time,
      erasure: Schema.optionalKey(jsonColumn(Erasure))
    }),
    key: Schema.Struct({
      ...ApiKey.fields,
      scopes: list(ApiKey.fields.scopes),
      createdAt: Time,
      expiresAt: OptionalTime,
      revokedAt: OptionalTime,
      lastUsedAt: OptionalTime
    }),
    repository: Schema.Struct({ ...Repository.fields, linkedAt: Time }),
    knownRepository: Schema.Struct({ ...KnownRepository.fields, linkedAt: Time, linked: Truth }),
    billedTestRun: Schema.Struct({ ...BilledTestRun.fields, billedAt: Time }),
    build: Schema.Struct({
      ...Build.fields,
      createdAt: Time,
      readyAt: OptionalTime,
      reservedUntil: Time,
      keptAt: OptionalTime
    }),
    reservation: Schema.Struct({
      ...BuildReservation.fields,
      ...reserved,
      supersededAt: OptionalTime,
      declaration: json(BuildDeclaration),
      digests: OptionalDigests
    }),
    upload: Schema.Struct({ ...Reservation.fields, ...reserved }),
    preview: Schema.Struct({
      ...Preview.fields,
      ...reserved,
      keptAt: OptionalTime,
      declaration: json(PreviewDeclaration),
      digests: OptionalDigests
    }),
    hostedObject: HostedObject,
    // No query looks into the details, so every engine keeps them as text.
    run: Schema.Struct({
      ...TestRun.fields,
      device: Schema.optionalKey(jsonColumn(RunDevice)),
      attempts: Schema.optionalKey(jsonColumn(Schema.Array(RunAttempt))),
      tags: Schema.optionalKey(jsonColumn(Schema.Array(Schema.String))),
      createdAt: Time,
      keptAt: OptionalTime
    }),
    testHistory,
    listedTest: Schema.Struct(Struct.omit(testHistory.fields, ["results"])),
    ciRun: Schema.Struct({
      ...CiRun.fields,
      startedAt: Time,
      imports: Schema.optionalKey(parsed<ReadonlyArray<ImportAnnouncement>>())
    }),
    answer: Schema.Struct({ ...IdempotentAnswer.fields, expiresAt: Time }),
    shareLink: Schema.Struct({
      ...ShareLink.fields,
      shared: json(Resource),
      createdAt: Time,
      expiresAt: Time,
      revokedAt: OptionalTime
    }),
    trust: Schema.Struct({
      ...RepositoryTrust.fields,
      scopes: list(RepositoryTrust.fields.scopes),
      conditions: Schema.optionalKey(jsonColumn(TrustConditions)),
      pinned: Schema.optionalKey(jsonColumn(PinnedIds)),
      createdAt: Time
    }),
    quotas: AccountQuotas,
    session: Schema.Struct({ ...Session.fields, createdAt: Time, expiresAt: Time }),
    retention: Schema.Struct({ ...AccountRetention.fields, rules: jsonColumn(RetentionRules) }),
    removal: Schema.Struct({ ...Removal.fields, since: Time, settledAt: Time, dueAt: Time }),
    webhook: Schema.Struct({
      ...Webhook.fields,
      types: json(Webhook.fields.types),
      createdAt: Time,
      failingSince: OptionalTime,
      disabledAt: OptionalTime
    }),
    attempt: Schema.Struct({ ...DeliveryAttempt.fields, at: Time }),
    auditEntry: Schema.Struct({ ...AuditEntry.fields, at: Time, actor: jsonColumn(AuditActor) })
  }
}

export const snakeCase = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What is selected for a field. The results of a history are two columns, of which a run seldom changes the first. */
export const selected = (field: string, table = ""): string =>
  field === "results" ? `${table}results || ${table}recent` : table + snakeCase(field)

/** The row to insert of an encoded entity: its fields in the columns of their names, null where one is absent. */
export const rowOf = (entity: Schema.Struct<Schema.Struct.Fields>, encoded: { readonly [Field in string]?: unknown }) =>
  Object.fromEntries(Object.keys(entity.fields).map((field) => [snakeCase(field), encoded[field] ?? null]))

/** The selected entities that a row holds. */
export const nested = (row: object): Record<string, Record<string, unknown>> => {
  const out: Record<string, Record<string, unknown>> = {}
  for (const [column, value] of Object.entries(row)) {
    if (value === null) continue
    const dot = column.indexOf(".")
    const entity = (out[column.slice(0, dot)] ??= {})
    entity[column.slice(dot + 1)] = value
  }
  return out
}

export const makeRows = (types: ColumnTypes) => {
  const entities = entitiesOf(types)
  return {
    ...types,
    entities,
    /**
     * The columns to select of an entity from its table or the table's alias: `b.ready_at AS "build.readyAt", …`. When
     * a row holds two entities of a kind, each needs its own name.
     */
    columns: (entity: keyof typeof entities, table: string, name: string = entity): string =>
      Object.keys(entities[entity].fields)
        .map((field) => `${selected(field, `${table}.`)} AS "${name}.${field}"`)
        .join(", ")
  }
}

export type Rows = ReturnType<typeof makeRows>
