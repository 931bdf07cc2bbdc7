/** What the methods of the services take, by one table. */
import { Context, Effect, Layer, Record, Schema, Stream, Struct } from "effect"
import { Account } from "../model/Account.ts"
import { ApiKey, KeyId, SessionId } from "../model/ApiKey.ts"
import type { ByteRange } from "../model/Artifact.ts"
import { AuditEntryId } from "../model/AuditEntry.ts"
import { AppName, BuildIdentity, Platform } from "../model/Build.ts"
import { idempotencyKeyRule } from "../model/Idempotency.ts"
import { Preview, PreviewDeclaration } from "../model/Preview.ts"
import { Resource, Shared, ShareLinkId } from "../model/Resource.ts"
import { CiRun, TestHistory, TestId } from "../model/TestHistory.ts"
import { TestRun, TestRunStatus } from "../model/TestRun.ts"
import { idOf, Sought, text } from "../model/Text.ts"
import { administrationMethods } from "./administrationMethods.ts"
import { AuditEntries, auditKinds } from "./AuditEntries.ts"
import { Authorization } from "./Authorization.ts"
import { ReserveBuild } from "./beforeReserve.ts"
import { Builds } from "./Builds.ts"
import { Changes } from "./Changes.ts"
import { Overview } from "./Overview.ts"
import { OwnAccount } from "./OwnAccount.ts"
import { Previews } from "./Previews.ts"
import { AddQuarantine, Quarantines } from "./Quarantines.ts"
import { RetentionHolds } from "./RetentionHolds.ts"
import { Search } from "./Search.ts"
import { Sessions } from "./Sessions.ts"
import { ShareLinks } from "./ShareLinks.ts"
import { AnnounceImport, TestHistories } from "./TestHistories.ts"
import { ListRuns, RegisterRun, TestRuns } from "./TestRuns.ts"
import { TokenExchange } from "./TokenExchange.ts"
import { Usage } from "./Usage.ts"
import { gatesOf, makeGates } from "./repositoryAccess.ts"
import {
  answered,
  answeredList,
  areScopes,
  callerWhere,
  checkArguments,
  checkedCall,
  hasKey,
  holdsSession,
  isCaller,
  isFunction,
  isId,
  isIdempotencyKey,
  isOwner,
  isReader,
  isSecret,
  isText,
  type Check,
  type Parameter
} from "./withInput.ts"

const isEffect = (value: unknown): value is Effect.Effect<never> => Effect.isEffect(value)
const [reader, owner, caller] = [callerWhere(isReader), callerWhere(isOwner), callerWhere(isCaller)]
const holder = callerWhere(holdsSession)

/** An id of any kind. */
const byId = ["id", { is: isId as Check<never>["is"], message: "must be an id" }] as const

const OptionalText = Schema.optional(Sought)
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))
const named = { owner: Sought, repo: Sought }
const Named = Schema.Struct(named)
const pageOf = { ...named, branch: OptionalText, limit: Schema.optional(Schema.Int), cursor: OptionalText }
const token = ["token", text(1024)] as const
const aText: Check<string> = { is: isText, message: "must be a text" }
const secret = ["secret", aText] as const
const idempotencyKey = ["idempotencyKey", { is: isIdempotencyKey, message: idempotencyKeyRule }] as const
const limit = ["limit", Limit] as const
const branch = ["branch", Schema.UndefinedOr(Sought)] as const

const Range: Schema.Codec<ByteRange> = Schema.Union([
  Schema.Struct({ offset: Schema.Natural, length: Schema.optionalKey(Schema.Natural) }),
  Schema.Struct({ suffix: Schema.Natural })
])
const range = Schema.optional(Range)
const OfPreview = Schema.Struct({ name: Sought, range })
const View = <S extends Schema.Codec<unknown, unknown>, Name extends string>(name: Name, schema: S) =>
  answered(
    Schema.Struct({ [name]: schema, repository: Named } as Record<Name, S> & {
      repository: typeof Named
    })
  )

const Selection = Schema.optional(
  Schema.Union([
    Schema.Array(Schema.String),
    Schema.declare((value): value is (repository: object) => boolean => isFunction(value))
  ])
)

/** What a command of `Administration` takes, which has the account beside it. */
const asCommand = (name: "createKey" | "rotateKey" | "configureRepository" | "retain" | "addWebhook") => {
  const fields: Schema.Struct.Fields = administrationMethods[name].payloadSchema.fields
  return [
    "params",
    Schema.make<Schema.Codec<never, unknown>>(Schema.Struct(Record.remove(fields, "account")).ast)
  ] as const
}

/** The services with parameters to check. */
export const services = {
  AuditEntries,
  Authorization,
  Builds,
  Changes,
  Overview,
  OwnAccount,
  Previews,
  Quarantines,
  RetentionHolds,
  Search,
  Sessions,
  ShareLinks,
  TestHistories,
  TestRuns,
  TokenExchange,
  Usage
}

type Parameters<Method> = Method extends (...args: infer Args) => unknown
  ? { readonly [At in keyof Args]-?: Parameter<Args[At] | undefined> }
  : never

type Inputs = {
  readonly [S in keyof typeof services]: {
    readonly [Method in keyof (typeof services)[S]["Service"]]: Parameters<(typeof services)[S]["Service"][Method]>
  }
}

/** The parameters of every method, so that none of a new one is forgotten. `Administration` checks its own. */
export const inputs: Inputs = {
  AuditEntries: {
    list: [
      reader,
      ["before", Schema.UndefinedOr(idOf(AuditEntryId))],
      [
        "filter",
        Schema.UndefinedOr(
          Schema.Struct({
            kind: Schema.optional(Schema.Literals(auditKinds)),
            key: Schema.optional(idOf(KeyId))
          })
        )
      ]
    ]
  },
  Authorization: {
    authenticate: [["key", { is: isSecret, message: "must be a redacted text" }]],
    authenticateById: [byId],
    admit: [["owner", answered(Schema.Struct({ key: ApiKey, account: Account }))]],
    admitExternal: [
      [
        "identity",
        Schema.Struct({
          account: Sought,
          scopes: Schema.Array(Schema.String),
          repositories: Selection,
          writableRepositories: Selection
        })
      ]
    ],
    require: [caller, ["scopes", { is: areScopes, message: "must be scopes" }]]
  },
  Builds: {
    reserve: [caller, ["request", ReserveBuild], idempotencyKey],
    finalize: [caller, token],
    read: [reader, byId],
    latest: [
      caller,
      [
        "query",
        Schema.Struct({
          ...named,
          branch: Sought,
          platform: Platform,
          app: Schema.optional(AppName)
        })
      ]
    ],
    findReady: [reader, ["query", Schema.Struct({ ...named, identity: BuildIdentity })]],
    delete: [reader, byId],
    open: [reader, byId, ["what", Schema.UndefinedOr(Schema.Struct({ path: OptionalText, range }))]]
  },
  Changes: {
    watch: [reader, ["right", { is: isEffect, message: "must be an Effect" }]]
  },
  Overview: {
    repositories: [reader],
    repository: [reader, ["named", Named]],
    branches: [reader, ["query", Schema.Struct({ repository: Schema.optionalKey(Named), limit: Limit })]],
    billedThisMonth: [reader],
    builds: [
      reader,
      [
        "query",
        Schema.Struct({
          ...named,
          branch: OptionalText,
          platform: Schema.optional(Platform),
          app: OptionalText,
          after: Schema.optional(idOf(Schema.String)),
          limit: Limit
        })
      ]
    ],
    previews: [
      reader,
      [
        "query",
        Schema.Struct({
          ...named,
          isTestRun: Schema.optional(Schema.Literal(false)),
          after: Schema.optional(idOf(Schema.String)),
          limit: Limit
        })
      ]
    ],
    uploads: [reader, byId, limit],
    runsOf: [reader, byId, limit],
    neighbours: [reader, byId]
  },
  OwnAccount: {
    keys: [owner],
    createKey: [owner, asCommand("createKey")],
    rotateKey: [owner, asCommand("rotateKey")],
    revokeKey: [owner, byId],
    repositories: [owner],
    configureRepository: [owner, asCommand("configureRepository")],
    retention: [owner],
    retain: [owner, asCommand("retain")],
    usage: [owner],
    webhooks: [owner],
    addWebhook: [owner, asCommand("addWebhook")],
    webhook: [owner, byId],
    removeWebhook: [owner, byId],
    resumeWebhook: [owner, byId],
    testWebhook: [owner, byId]
  },
  Previews: {
    reserve: [caller, ["declaration", PreviewDeclaration], idempotencyKey],
    finalize: [caller, token],
    read: [reader, byId],
    delete: [reader, byId],
    open: [reader, byId, ["what", OfPreview]],
    openIn: [
      ["preview", answered(Preview)],
      ["what", OfPreview]
    ]
  },
  Quarantines: {
    add: [reader, ["added", AddQuarantine]],
    remove: [reader, byId],
    find: [reader, byId],
    list: [reader, ["query", Schema.Struct(Struct.omit(pageOf, ["branch"]))]]
  },
  RetentionHolds: {
    keep: [reader, ["resource", Resource]],
    release: [reader, ["resource", Resource]]
  },
  Search: { find: [reader, ["text", Sought]] },
  Sessions: {
    begin: [
      holder,
      [
        "how",
        Schema.Struct({
          from: Schema.Struct({
            address: Schema.optional(Schema.String),
            userAgent: Schema.optional(Schema.String)
          }),
          replaces: Schema.optional(Schema.String),
          life: Schema.optional(Schema.Duration)
        })
      ]
    ],
    resolve: [secret],
    check: [byId],
    list: [callerWhere(hasKey), ["after", Schema.UndefinedOr(idOf(SessionId))]],
    signOut: [secret],
    end: [holder, byId],
    endAll: [holder]
  },
  ShareLinks: {
    create: [owner, ["shared", Shared], ["life", Schema.UndefinedOr(Schema.Duration)]],
    list: [owner, ["shared", Shared], ["after", Schema.UndefinedOr(idOf(ShareLinkId))]],
    revoke: [owner, ["shared", Shared], byId],
    open: [secret],
    check: [byId]
  },
  TestHistories: {
    repository: [
      reader,
      [
        "query",
        Schema.Struct({
          ...named,
          branch: OptionalText,
          span: Schema.optional(Schema.Struct({ from: Schema.Finite, to: Schema.UndefinedOr(Schema.Finite) }))
        })
      ]
    ],
    list: [
      reader,
      [
        "query",
        Schema.Struct({
          ...pageOf,
          status: Schema.optional(TestRunStatus),
          flaky: Schema.optional(Schema.Boolean),
          text: OptionalText,
          tag: OptionalText,
          device: OptionalText,
          app: OptionalText
        })
      ]
    ],
    find: [reader, byId, branch],
    findOnDefault: [reader, byId],
    lastPassOnDefault: [reader, ["test", View("test", TestHistory)]],
    findEach: [reader, ["ids", Schema.Array(idOf(TestId))], branch],
    countTests: [reader, ["named", Named]],
    branchesOf: [reader, byId],
    ciRuns: [
      reader,
      [
        "query",
        Schema.Struct({
          ...pageOf,
          fits: Schema.optional(Schema.declare((value): value is (ciRun: CiRun) => boolean => isFunction(value)))
        })
      ]
    ],
    newestCiRuns: [reader, limit],
    failures: [reader, ["query", Schema.Struct({ ...named, source: Sought, base: OptionalText, app: OptionalText })]],
    announceImport: [reader, ["announced", AnnounceImport]],
    newFailures: [
      reader,
      [
        "query",
        Schema.Struct({
          ...named,
          ciRuns: Schema.Array(CiRun),
          defaultBranch: Schema.UndefinedOr(Sought)
        })
      ]
    ]
  },
  TestRuns: {
    register: [caller, ["request", RegisterRun], idempotencyKey],
    list: [caller, ["query", ListRuns]],
    ciRun: [reader, ["query", Schema.Struct({ ...named, source: Sought })]],
    attempts: [caller, ["runs", answeredList(View("run", TestRun))]],
    read: [reader, byId],
    delete: [reader, byId]
  },
  TokenExchange: {
    exchange: [
      ["token", aText],
      ["repository", Schema.UndefinedOr(Schema.String)]
    ]
  },
  Usage: { read: [reader] }
}

type Method = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, unknown>

/** The same services, of which each method checks what it is called with, and then what its caller may see and change. */
export const withCheckedCalls = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const given = yield* Layer.build(layer)
      const gates = yield* makeGates
      const changed = new Map<string, unknown>(given.mapUnsafe)
      for (const [name, { key }] of Object.entries(services)) {
        const parameters: Readonly<Record<string, ReadonlyArray<Parameter>>> = inputs[name as keyof Inputs]
        const gateOf = gatesOf(gates, name)
        const checked = Object.entries<Method>(Object(given.mapUnsafe.get(key))).map(([method, run]) => {
          const fail = method === "watch" ? Stream.fail : Effect.fail
          return [method, checkedCall(run, checkArguments(parameters[method] ?? []), gateOf(method), fail)] as const
        })
        changed.set(key, Object.fromEntries(checked))
      }
      return Context.makeUnsafe<A>(changed)
    })
  )
