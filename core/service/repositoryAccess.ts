/** Applies a caller's {@link RepositoryAccess} to every method of the services, by one table. */
import { Array, Effect, Option, Stream } from "effect"
import { AccountId } from "../model/Account.ts"
import type { Reader, RepositoryAccess } from "../model/ApiKey.ts"
import type { BuildId } from "../model/Build.ts"
import type { Preview, ShareId } from "../model/Preview.ts"
import { InvalidRequest, type Unavailable } from "../model/Problem.ts"
import { repositoryKey, type Repository } from "../model/Repository.ts"
import type { Resource, Shared } from "../model/Resource.ts"
import type { TestHistory, TestId } from "../model/TestHistory.ts"
import type { TestRunId } from "../model/TestRun.ts"
import type { AuditEntry } from "../model/AuditEntry.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { BuildStore } from "../ports/BuildStore.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { QuarantineStore } from "../ports/QuarantineStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { TestHistoryStore, type FoundCiRun } from "../ports/TestHistoryStore.ts"
import { TestRunStore } from "../ports/TestRunStore.ts"
import { hashSecret } from "../rules/credentials.ts"
import { AuditEntries } from "./AuditEntries.ts"
import { Builds } from "./Builds.ts"
import { Changes, type Change } from "./Changes.ts"
import { orNotLinked } from "./Authorization.ts"
import { OwnAccount } from "./OwnAccount.ts"
import { Overview } from "./Overview.ts"
import { Previews } from "./Previews.ts"
import { Quarantines } from "./Quarantines.ts"
import { RetentionHolds } from "./RetentionHolds.ts"
import { Search, type Found } from "./Search.ts"
import { ShareLinks } from "./ShareLinks.ts"
import { TestHistories } from "./TestHistories.ts"
import { TestRuns, type RegisterRun } from "./TestRuns.ts"
import { Usage } from "./Usage.ts"
import type { Gate } from "./withInput.ts"

type Named = Pick<Repository, "owner" | "repo">
type Lookup = Effect.Effect<Option.Option<Named>, Unavailable>
/**
 * A caller of an account that has nothing. What a caller may not see is called in its name, and is therefore answered like what
 * doesn't exist, byte for byte.
 */
const nobody = (reader: Reader): Reader => ({
  ...reader,
  account: { ...reader.account, id: AccountId.make("-"), name: "-" } as Reader["account"]
})

const refused: Gate = (_, reader, call) => call(nobody(reader))

/** The gate of each method, by service. */
export const makeGates = Effect.gen(function* () {
  const [builds, previews, runs] = [yield* BuildStore, yield* PreviewStore, yield* TestRunStore]
  const [histories, quarantines] = [yield* TestHistoryStore, yield* QuarantineStore]
  const [repositories, log] = [yield* RepositoryStore, yield* AuditLog]

  const repositoryOf = Option.map(({ repository }: { readonly repository: Named }) => repository)
  const byName = ({ account }: Reader, { owner, repo }: Named): Lookup =>
    repositories.find(account.id, repositoryKey(owner, repo))
  const byId = ({ account }: Reader, id: string | undefined): Lookup =>
    Effect.map(repositories.list(account.id), (all) => Array.findFirst(all, (one) => one.id === id))
  const ofView = Effect.map(repositoryOf)
  const ofPreviewIn = (reader: Reader) =>
    Effect.flatMap((found: Option.Option<Preview>) => byId(reader, Option.getOrUndefined(found)?.repositoryId))
  const ofBuild = ({ account }: Reader, id: BuildId): Lookup => ofView(builds.findById(account.id, id))
  const ofPreview = (reader: Reader, id: ShareId): Lookup =>
    ofPreviewIn(reader)(previews.findByShareId(reader.account.id, id))
  const ofRun = ({ account }: Reader, id: TestRunId): Lookup => ofView(runs.find(account.id, id))
  const ofTest = ({ account }: Reader, id: TestId): Lookup => ofView(histories.find(account.id, id, undefined))
  const ofQuarantine = ({ account }: Reader, id: TestId): Lookup => ofView(quarantines.find(account.id, id))
  const ofBuildToken = (_: Reader, token: string): Lookup => ofView(builds.findByToken(hashSecret(token)))
  const ofPreviewToken = (reader: Reader, token: string): Lookup =>
    ofPreviewIn(reader)(previews.findByToken(hashSecret(token)))
  const ofResource = (reader: Reader, resource: Resource): Lookup =>
    "build" in resource
      ? ofBuild(reader, resource.build)
      : "preview" in resource
        ? ofPreview(reader, resource.preview)
        : ofRun(reader, resource.run)

  const ofShared = (reader: Reader, shared: Shared): Lookup =>
    "badge" in shared ? byName(reader, shared.badge) : ofResource(reader, shared)

  /** Calls a method of one resource if the access covers its repository. */
  const gate =
    (mode: keyof RepositoryAccess) =>
    <A>(find: (reader: Reader, parameter: A) => Lookup): Gate =>
    (access, reader, call, [parameter]) =>
      Effect.flatMap(find(reader, parameter as A), (repository) =>
        call(Option.exists(repository, access[mode]) ? reader : nobody(reader))
      )
  const [sees, changes] = [gate("sees"), gate("mayChange")]
  const allowed: Gate = (_, reader, call) => call(reader)

  const filtered =
    <A>(pick: (access: RepositoryAccess, result: A, reader: Reader) => A | Effect.Effect<A, Unavailable>): Gate =>
    (access, reader, call) =>
      Effect.flatMap(call(reader), (result) => {
        const picked = pick(access, result as A, reader)
        return Effect.isEffect(picked) ? picked : Effect.succeed(picked)
      })
  const seen = <A extends { readonly repository: Named }>({ sees }: RepositoryAccess, all: ReadonlyArray<A>) =>
    all.filter(({ repository }) => sees(repository))

  const branches: Gate = (access, reader, call, args) => {
    const [{ repository }] = args as unknown as readonly [{ readonly repository?: Named }]
    return repository === undefined
      ? filtered<ReadonlyArray<{ readonly repository: Named }>>(seen)(access, reader, call, args)
      : sees((reader) => byName(reader, repository))(access, reader, call, args)
  }

  const register: Gate = (access, reader, call, args) => {
    const [{ report }] = args as unknown as readonly [RegisterRun]
    return sees(ofPreview)(
      access,
      reader,
      (shown) => (shown === reader ? changes(byName)(access, reader, call, args) : call(shown)),
      [report.previewShareId as never]
    )
  }

  /** Refuses before the embedder's hook is asked. A preview of no repository would be seen by nobody who may see only some. */
  const reserve =
    (namedIn: (request: object) => unknown): Gate =>
    (access, reader, call, args) => {
      const { owner, repo }: Partial<Named> = Object(namedIn(Object(args[0])))
      if (owner === undefined || repo === undefined) {
        const issues = [{ path: "owner", message: "must name a repository that the caller may change" }]
        return Effect.fail(new InvalidRequest({ detail: "The request does not fit; see issues.", issues }))
      }
      return Effect.flatMap(byName(reader, { owner, repo }), (found) =>
        Option.exists(found, access.mayChange) ? call(reader) : orNotLinked(Option.none(), { owner, repo })
      )
    }

  const find = filtered<Found>((access, found, reader) =>
    Effect.map(byId(reader, Option.getOrUndefined(found.preview)?.repositoryId), (repository) => ({
      repositories: found.repositories.filter(access.sees),
      tests: seen(access, found.tests),
      branches: seen(access, found.branches),
      ciRuns: seen(access, found.ciRuns),
      preview: Option.exists(repository, access.sees) ? found.preview : Option.none()
    }))
  )

  const findEach = filtered<ReadonlyArray<TestHistory>>((access, found, { account }) =>
    Effect.map(repositories.list(account.id), (all) => {
      const ids = new Set(all.filter(access.sees).map(({ id }) => id))
      return found.filter(({ repositoryId }) => ids.has(repositoryId))
    })
  )

  const entriesRead = 100

  /** Whether one of an account's changes behind `last`, up to `id`, is of a repository that is seen. */
  const isSeenBetween = Effect.fnUntraced(function* (
    { sees }: RepositoryAccess,
    reader: Reader,
    [last, id]: readonly [string, string]
  ) {
    const entries = yield* log.list({ account: reader.account.id, limit: entriesRead })
    for (const entry of entries) {
      if (entry.id > id || entry.id <= last) continue
      if (Option.exists(yield* ofEntry(reader, entry), sees)) return true
    }
    // What lies between the last change and the entries that were read may be of such a repository.
    return entries.length === entriesRead && entries.every((entry) => entry.id > last)
  })
  const ofEntry = (reader: Reader, { repositoryId, subject }: AuditEntry): Lookup => {
    if (repositoryId !== undefined) return byId(reader, repositoryId)
    const [kind = "", of = ""] = subject.split(/:(.*)/s)
    const slash = of.lastIndexOf("/")
    // A link that has ended has no repository, so the subject's own name counts.
    if (kind === "repository") return Effect.succeedSome({ owner: of.slice(0, slash), repo: of.slice(slash + 1) })
    return kind === "build" || kind === "preview" || kind === "run"
      ? ofResource(reader, { [kind]: of } as Resource)
      : Effect.succeed(Option.none())
  }

  /** The first change, then those of repositories that are seen. */
  const watch: Gate = (access, reader, call) => {
    let last: string | undefined
    const stream = call(reader) as unknown as Stream.Stream<Change>
    const seenChanges: unknown = Stream.filterEffect(stream, ({ id }) => {
      const [before, after] = [last, id]
      last = id
      return before === undefined ? Effect.succeed(true) : isSeenBetween(access, reader, [before, after])
    })
    return seenChanges as ReturnType<Gate>
  }

  const attempts: Gate = (access, reader, call, args) => {
    const [views] = args as unknown as readonly [ReadonlyArray<{ readonly repository: Named }>]
    return views.length === seen(access, views).length ? call(reader) : call(nobody(reader))
  }

  const table = {
    Builds: {
      reserve: reserve((request) => request),
      finalize: changes(ofBuildToken),
      read: sees(ofBuild),
      latest: sees(byName),
      findReady: sees(byName),
      delete: changes(ofBuild),
      open: sees(ofBuild)
    },
    Previews: {
      reserve: reserve((request) => Reflect.get(request, "git")),
      finalize: changes(ofPreviewToken),
      read: sees(ofPreview),
      delete: changes(ofPreview),
      open: sees(ofPreview),
      openIn: allowed
    },
    TestRuns: {
      register,
      list: sees(byName),
      ciRun: sees(byName),
      attempts,
      read: sees(ofRun),
      delete: changes(ofRun)
    },
    TestHistories: {
      repository: sees(byName),
      list: sees(byName),
      ciRuns: sees(byName),
      failures: sees(byName),
      newFailures: sees(byName),
      countTests: sees(byName),
      announceImport: changes(byName),
      find: sees(ofTest),
      findOnDefault: sees(ofTest),
      branchesOf: sees(ofTest),
      lastPassOnDefault: sees((reader, { repository }: { readonly repository: Named }) => byName(reader, repository)),
      findEach,
      newestCiRuns: filtered<ReadonlyArray<FoundCiRun>>(seen)
    },
    Quarantines: {
      add: changes(byName),
      remove: changes(ofQuarantine),
      find: sees(ofQuarantine),
      list: sees(byName)
    },
    Overview: {
      repositories: filtered<ReadonlyArray<Repository>>(({ sees }, all) => all.filter(sees)),
      repository: sees(byName),
      branches,
      billedThisMonth: refused,
      builds: sees(byName),
      previews: sees(byName),
      uploads: sees(ofBuild),
      runsOf: sees(ofPreview),
      neighbours: sees(ofRun)
    },
    Search: { find },
    ShareLinks: {
      create: changes(ofShared),
      list: sees(ofShared),
      revoke: changes(ofShared),
      open: allowed,
      check: allowed
    },
    RetentionHolds: { keep: changes(ofResource), release: changes(ofResource) },
    Changes: { watch },
    AuditEntries: refused,
    OwnAccount: refused,
    Usage: allowed
  } satisfies Table
  return table
})

const services = {
  AuditEntries,
  Builds,
  Changes,
  OwnAccount,
  Overview,
  Previews,
  Quarantines,
  RetentionHolds,
  Search,
  ShareLinks,
  TestHistories,
  TestRuns,
  Usage
}

/** A gate for every method, so that no new one is forgotten, or one for all of a service. */
type Table = { readonly [S in keyof typeof services]: Gate | Record<keyof (typeof services)[S]["Service"], Gate> }

/** The gates of the methods of a service; none where the access of a caller doesn't matter. */
export const gatesOf = (table: Effect.Success<typeof makeGates>, service: string) => {
  const gates = new Map<string, Gate | Readonly<Record<string, Gate>>>(Object.entries(table)).get(service)
  return (method: string): Gate | undefined => {
    if (gates === undefined) return undefined
    return typeof gates === "function" ? gates : (gates[method] ?? refused)
  }
}
