/** Records as they are backed up. */
import { Duration, Option } from "effect"
import { recordKinds, type MetadataRecord, type RecordKind } from "../../../core/model/MetadataRecord.ts"
import { ObjectKey } from "../../../core/model/HostedObject.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { onFinalize, onPreviewFinalize, onReserve } from "../../../core/rules/builds.ts"
import { historyWith } from "../../../core/rules/testHistory.ts"
import {
  fullRun,
  instant,
  makeAccount,
  makeAuditEntry,
  makeHosted,
  makeIdentity,
  makeKey,
  makeOnce,
  makePreview,
  makeRemoval,
  makeRepository,
  makeReservation,
  makeRun,
  makeSession,
  makeShareLink,
  makeTrust,
  newBuildId
} from "./samples.ts"

/** More accounts than an engine takes or gives at once. */
export const manyAccounts = Array.from({ length: 2500 }, () => ({ kind: "account", value: makeAccount() }) as const)

/** Values of every kind. */
export type EveryKind = {
  readonly [Kind in RecordKind]: ReadonlyArray<Extract<MetadataRecord, { readonly kind: Kind }>["value"]>
}

/** Values of every kind that refer to each other: of most kinds one with few fields, and one with every field. */
export const everyKind = (): EveryKind => {
  const account = makeAccount()
  const key = makeKey(account)
  const revoked = makeKey(account, {
    scopes: ["builds", "preview_upload", "test_runs"],
    expiresAt: instant(50),
    lastUsedAt: instant(30),
    revokedAt: instant(40)
  })
  const repository = makeRepository(account)
  const unlinked = makeRepository(account)
  const build = (reservation: Parameters<typeof makeReservation>[2] = {}) => {
    const id = newBuildId()
    const made = makeReservation(account, id, reservation)
    return {
      reservation: made,
      build: onReserve(undefined, {
        id,
        repository,
        identity: makeIdentity({ app: "Ünïcode \u{10FFFD}" }),
        reservation: made
      })
    }
  }
  const digests = { "files/0": "c".repeat(64) }
  const uploading = build()
  const begun = build({ keyId: key.id, decompressedBytes: 2 ** 40, metadataBytes: 100 })
  const ready = onFinalize(begun.build, begun.reservation, { now: instant(9), hostedPrefix: "hosted/x/y/", digests })
  const preview = makePreview(account)
  const finalized = onPreviewFinalize(
    makePreview(account, { keyId: key.id, repositoryId: repository.id, decompressedBytes: 7, metadataBytes: 200 }),
    { now: instant(9), hostedPrefix: "hosted/x/z/", digests }
  )
  const run = makeRun(repository, finalized)
  const full = {
    ...fullRun(repository, finalized, "Prüfung \u{1F680}", instant(4)),
    branch: "main",
    source: "ci",
    pr: 7,
    metadataBytes: 300,
    keptAt: instant(73)
  }
  const histories = [run, full].map((one) =>
    historyWith(one, { all: Option.none(), branch: Option.none(), ciRun: Option.none() }, [])
  )
  const link = makeShareLink(account, { shared: { run: run.id }, revokedAt: instant(8) })
  return {
    account: [
      account,
      makeAccount({ name: "Ünïcode \u{10FFFD}" }),
      {
        ...makeAccount(),
        erasure: {
          nameHash: "a name",
          at: instant(50),
          settledAt: instant(60),
          actor: { key: key.id },
          address: "192.0.2.1",
          gone: { builds: 3, bytes: 2 ** 40 }
        }
      }
    ],
    key: [key, revoked],
    repository: [
      { ...repository, linked: true },
      { ...unlinked, defaultBranch: "trunk", webUrl: "https://github.com/acme/app", linked: false }
    ],
    build: [uploading.build, { ...ready.build, keptAt: instant(70) }],
    reservation: [uploading.reservation, { ...ready.reservation, supersededAt: instant(71) }],
    preview: [preview, { ...finalized, keptAt: instant(72) }],
    billedTestRun: [{ previewId: finalized.id, accountId: account.id, billedAt: instant(9) }],
    hostedObject: [
      makeHosted(account, { objectKey: ObjectKey.make("hosted/x/y/bundle") }),
      makeHosted(account, { sizeBytes: 2 ** 52 })
    ],
    run: [run, full],
    testHistory: histories
      .flatMap(({ tests }) => tests.flatMap(({ next }) => next ?? []))
      .map((history) => (history.branch === undefined ? history : { ...history, lastFlakyAt: instant(3) })),
    ciRun: [
      ...histories.flatMap(({ ciRun }) => ciRun ?? []),
      {
        repositoryId: repository.id,
        accountId: account.id,
        ciRun: `commit-${"a".repeat(40)}`,
        startedAt: instant(1),
        passed: 0,
        failed: 0,
        flaky: 1,
        runs: 2,
        durationMs: 2 ** 40
      },
      {
        repositoryId: repository.id,
        accountId: account.id,
        ciRun: "source-announced",
        startedAt: instant(2),
        passed: 0,
        failed: 0,
        flaky: 0,
        runs: 0,
        durationMs: 0,
        imports: [
          {
            id: "e2e \u{1F680}",
            attempt: "2",
            job: "e2e",
            app: "shop",
            expectedRuns: 13,
            registeredRuns: 5,
            openedAt: 7
          },
          { id: "unit", expectedRuns: 0, expectedImports: 2, openedAt: 8 }
        ],
        importsVersion: 3
      }
    ],
    answer: [makeOnce(account).answer],
    shareLink: [makeShareLink(account, { shared: { preview: ShareId.make(finalized.shareId) } }), link],
    trust: [
      makeTrust(repository),
      makeTrust(unlinked, {
        scopes: ["builds", "test_runs"],
        conditions: { branches: ["main", "release/*"], pullRequestTarget: true },
        pinned: { repository: "74", owner: "65" }
      })
    ],
    session: [makeSession(key), makeSession(revoked, { address: "192.0.2.1", userAgent: "Mozilla/5.0" })],
    auditEntry: [
      makeAuditEntry({ accountId: account.id, detail: "Prüfung \u{1F680}", address: "192.0.2.1" }),
      makeAuditEntry({ actor: { key: key.id } })
    ],
    removal: [makeRemoval(account), makeRemoval(account, { dueAt: instant(60), settledAt: instant(90) })],
    retention: [
      {
        accountId: account.id,
        rules: {
          previews: Duration.days(90),
          runs: "forever",
          builds: Duration.days(1.5),
          buildsPerBranch: 3,
          billed: "forever"
        }
      }
    ],
    quotas: [{ accountId: account.id, bytesStored: 2 ** 45, runsPerMonth: 7 }]
  }
}

/** The records of these values, in the order in which they are stored. */
export const recordsOf = (values: EveryKind): ReadonlyArray<MetadataRecord> =>
  recordKinds.flatMap((kind) => values[kind].map((value) => ({ kind, value }) as MetadataRecord))
