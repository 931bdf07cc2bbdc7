/** A commit that is refused changes nothing, and one from another version is refused. */
import { Effect, Option } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import type { Build, BuildReservation } from "../../../core/model/Build.ts"
import type { Unavailable } from "../../../core/model/Problem.ts"
import type { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { IdempotencyStore, type Once } from "../../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { makeAccount, makeKey } from "../parts/samples.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

/** The version at which a build is stored. */
const versionOf = (store: BuildStore["Service"], { accountId, id }: Build) =>
  Effect.map(store.findById(accountId, id), (found) => (Option.isSome(found) ? found.value.build.version : 0))

/** The same build, decided from whatever is stored. */
const onTop = (store: BuildStore["Service"], build: Build): Effect.Effect<Build, Unavailable> =>
  Effect.map(versionOf(store, build), (version) => ({ ...build, version: version + 1 }))

/** Stores the event by itself, with a key that nobody asked for. */
const postAlone = (keys: KeyStore["Service"], event: SlipwayEvent | undefined) =>
  keys.insert(makeKey(makeAccount()), event)

/** Stores the event of a finalize that was refused. */
const publishesRefused = bothAltered(BuildStore, KeyStore, (builds, keys) => [
  {
    commitFinalize: (change) =>
      Effect.tapErrorTag(builds.commitFinalize(change), "Conflict", () => postAlone(keys, change.event))
  },
  {}
])

const refused = "a run whose history has another version than expected is refused, and nothing is stored of it"

/** Finalizes builds as if they shared nothing. */
const sharingNothing = altered(BuildStore, (store) => ({
  commitFinalize: ({ reservation: { stored, ...reservation }, ...change }) =>
    store.commitFinalize({
      ...change,
      reservation: stored === undefined ? reservation : { ...reservation, stored: { ...stored, shared: {} } }
    })
}))

export const refusalMutants: MetadataFaults = {
  "BuildStore > commits > a reserve from any version but the stored one is a conflict and writes nothing": {
    "ignores the version that a reserve was decided from": altered(BuildStore, (store) => ({
      commitReserve: (change) =>
        Effect.flatMap(onTop(store, change.build), (build) => store.commitReserve({ ...change, build }))
    }))
  },
  "BuildStore > commits > a second build of one identity is a conflict and writes nothing": {
    "stores the reservation of a commit that is a conflict": altered(BuildStore, (store) => {
      const halves = new Map<string, { readonly build: Build; readonly reservation: BuildReservation }>()
      return {
        commitReserve: (change) =>
          Effect.tapErrorTag(store.commitReserve(change), "Conflict", () =>
            Effect.sync(() => halves.set(change.reservation.tokenHash, change))
          ),
        findByToken: Effect.fnUntraced(function* (token) {
          const half = halves.get(token)
          if (half === undefined) return yield* store.findByToken(token)
          const { build } = half
          const repository = { id: build.repositoryId, accountId: build.accountId, linkedAt: build.createdAt }
          return Option.some({ ...half, repository: { ...repository, owner: "owner", repo: "repo" } })
        })
      }
    })
  },
  "PreviewStore > a second finalize of a preview is a conflict that neither moves its bytes nor bills it again": {
    "bills a finalize that is a conflict": altered(PreviewStore, (store) => {
      const conflicts = new Set<AccountId>()
      return {
        commitFinalize: (change) =>
          Effect.tapErrorTag(store.commitFinalize(change), "Conflict", () =>
            Effect.sync(() => change.billed && conflicts.add(change.preview.accountId))
          ),
        usage: (account) =>
          Effect.map(store.usage(account), (all) =>
            conflicts.has(account) ? [...all, { month: "2026-05", billedTestRuns: 1 }] : all
          )
      }
    })
  },
  "AuditLog > a change that fails stores nothing and no entry, and answers its failure": {
    "makes the change in a commit of its own": altered(AuditLog, (log) => ({
      record: (change, entryOf) => Effect.tap(change, (answer) => log.record(Effect.void, () => entryOf(answer)))
    }))
  },
  "AuditLog > a change whose entry can't be made is undone": {
    "stores the entry in a second commit": altered(AuditLog, (log) => ({
      record: (change, entryOf) =>
        Effect.tap(
          log.record(change, () => undefined),
          (answer) => log.record(Effect.void, () => entryOf(answer))
        )
    }))
  },
  "AuditLog > the registration of a run stores its entry, and one that is refused stores none": {
    "stores the entry of a run that was refused": bothAltered(TestRunStore, AuditLog, (runs, log) => [
      {
        insert: (change) =>
          Effect.tapErrorTag(runs.insert(change), "Conflict", () => log.record(Effect.void, () => change.entry))
      },
      {}
    ])
  },
  "IdempotencyStore > a reserve from an outdated version keeps no answer and leaves an expired one unchanged": {
    "keeps an answer apart from the commit that it belongs to": bothAltered(
      BuildStore,
      IdempotencyStore,
      (builds, answers) => {
        const apart = new Map<string, Once["answer"]>()
        return [
          {
            commitReserve: (change) =>
              Effect.tapErrorTag(builds.commitReserve(change), "Conflict", () =>
                Effect.sync(() => change.once && apart.set(change.once.answer.keyHash, change.once.answer))
              )
          },
          {
            find: (account, keyHash, now) =>
              Effect.map(answers.find(account, keyHash, now), (found) =>
                Option.isSome(found) ? found : Option.fromUndefinedOr(apart.get(keyHash))
              )
          }
        ]
      }
    )
  },
  "Outbox > of a finalize of a build by many at once or later, the first alone stores its event": {
    "stores the event of a commit that was refused": publishesRefused
  },
  [`TestHistoryStore > ${refused}`]: {
    "stores a run without the history that is refused": altered(TestRunStore, (store) => ({
      insert: ({ history, ...given }) =>
        Effect.catchTag(store.insert({ ...given, ...(history === undefined ? {} : { history }) }), "Conflict", () =>
          store.insert(given)
        )
    })),
    "checks the history of all branches alone": altered(TestRunStore, (store) => ({
      insert: ({ history, ...given }) =>
        history === undefined
          ? store.insert(given)
          : Effect.catchTag(store.insert({ ...given, history }), "Conflict", () =>
              store.insert({ ...given, history: { ...history, tests: history.tests.slice(0, 1) } })
            )
    }))
  },
  "Deletion > what was decided before a deletion is a conflict after it": {
    "takes a finalize of a deleted build": altered(BuildStore, (store) => {
      const deleted = new Set<string>()
      return {
        commitDelete: (change) =>
          Effect.tap(store.commitDelete(change), () => Effect.sync(() => deleted.add(change.build.id))),
        commitFinalize: (change) => (deleted.has(change.build.id) ? Effect.void : store.commitFinalize(change))
      }
    })
  },
  "Deletion > a finalize that shares what is hosted no longer is a Conflict, and changes nothing": {
    "lets a build share what is deleted": sharingNothing
  }
}
