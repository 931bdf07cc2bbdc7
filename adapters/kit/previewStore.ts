import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import type { Account } from "../../core/model/Account.ts"
import { ShareId, type Preview } from "../../core/model/Preview.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { onPreviewFinalize } from "../../core/rules/builds.ts"
import { keyOf, newHome, newPreview } from "./parts/stored.ts"
import { assertConflict, assertOnce, assertWhole, many, previewCommits } from "./parts/commits.ts"
import { assertFound, assertKept, found, fullDeclaration, fullUpload, manyFiles, plainPreview } from "./parts/plain.ts"
import { after, epochs, idAt, instant, makePreview } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

/** What the cases need beside a `PreviewStore`: previews belong to accounts, and some to repositories. */
export type PreviewPorts = AccountStore | RepositoryStore | PreviewStore

/** Asserts that exactly this is stored, by every call that reads it. */
const assertStored = (preview: Preview) =>
  Effect.gen(function* () {
    const store = yield* PreviewStore
    for (const stored of [
      yield* store.findByToken(preview.tokenHash),
      yield* store.findByShareId(preview.accountId, preview.shareId)
    ]) {
      assertFound(plainPreview, stored, preview)
    }
  })

const digests = { "recordings/0": "0f".repeat(32), bundle: "a".repeat(64) }

const finalized = (preview: Preview, now = instant(77), attempt = "1"): Preview =>
  onPreviewFinalize(preview, { now, hostedPrefix: `hosted/${preview.id}/${attempt}/`, digests })

/** A preview that was finalized at this instant. */
const newUsage = (account: Account, at: string, billed = true) =>
  Effect.gen(function* () {
    const preview = finalized(yield* newPreview(account), DateTime.makeUnsafe(at))
    yield* (yield* PreviewStore).commitFinalize({ preview, billed })
    return preview
  })

export const previewStoreCases = (it: Cases<PreviewPorts>) => {
  assertKept(it, "a preview", {
    owner: newHome,
    full: ({ account, repository }, text, at) =>
      makePreview(account, {
        ...fullUpload(at),
        repositoryId: repository.id,
        declaration: {
          ...fullDeclaration(text),
          platform: "android",
          recordings: [
            { name: text, kind: "events", sizeBytes: 0, contentType: "application/json", startedAtMs: 0 },
            {
              name: text,
              kind: "video",
              sizeBytes: Number.MAX_SAFE_INTEGER,
              contentType: "video/mp4",
              contentHash: "b".repeat(64),
              startedAtMs: 1_700_000_000_000.123,
              durationMs: 0.1 + 0.2
            }
          ],
          git: {
            owner: text,
            repo: text.replaceAll("/", "|"),
            branch: text,
            commitSha: "0123456789".repeat(4),
            pr: 2 ** 31 - 1
          },
          billingKind: text
        }
      }),
    bare: ({ account }) => makePreview(account),
    store: (preview) => PreviewStore.use((store) => store.commitReserve({ preview })),
    read: Effect.fnUntraced(function* ({ accountId, shareId, tokenHash }) {
      const store = yield* PreviewStore
      const both = [yield* store.findByToken(tokenHash), yield* store.findByShareId(accountId, shareId)]
      return both.map((one) => found(plainPreview, one))
    }),
    expected: (preview) => [plainPreview(preview), plainPreview(preview)]
  })

  it.effect("a declaration of a thousand files and a hundred recordings keeps all of them in order", function* () {
    const { account } = yield* newHome
    const recordings = Array.from({ length: 100 }, (_, index) => ({
      name: `${"🙂".repeat(500)} ${index % 10}`,
      kind: "screenshot" as const,
      sizeBytes: (index * 37) % 100,
      contentType: "image/png"
    }))
    const declaration = { ...makePreview(account).declaration, files: manyFiles, recordings }
    yield* assertStored(yield* newPreview(account, { declaration }))
  })

  it.effect(
    "an unknown token or share id finds nothing, and a known one isn't found in another letter case",
    function* () {
      const store = yield* PreviewStore
      const { account } = yield* newHome
      const preview = yield* newPreview(account, { shareId: ShareId.make(`aB${idAt(1)}`) })
      for (const token of ["", preview.shareId, preview.tokenHash.toUpperCase(), `${preview.tokenHash} `]) {
        assert.isTrue(Option.isNone(yield* store.findByToken(token)), token)
      }
      for (const shareId of ["", preview.id, preview.shareId.toUpperCase(), preview.shareId.toLowerCase()]) {
        assert.isTrue(Option.isNone(yield* store.findByShareId(account.id, ShareId.make(shareId))), shareId)
      }
    }
  )

  it.effect("another account doesn't find a preview by its share id", function* () {
    const store = yield* PreviewStore
    const [home, other] = [yield* newHome, yield* newHome]
    const preview = yield* newPreview(home.account)
    assert.isTrue(Option.isNone(yield* store.findByShareId(other.account.id, preview.shareId)))
    yield* assertStored(preview)
  })

  it.effect("a preview whose repository was unlinked is found as before", function* () {
    const { account, repository } = yield* newHome
    const preview = yield* newPreview(account, { repositoryId: repository.id })
    yield* (yield* RepositoryStore).unlink(account.id, keyOf(repository))
    yield* assertStored(preview)
  })

  it.effect(
    "a finalize sets the time, the location and the digests and changes nothing else of this or another preview",
    function* () {
      const store = yield* PreviewStore
      const { account } = yield* newHome
      const [preview, other] = [yield* newPreview(account), yield* newPreview(account)]
      const ready = finalized(preview)
      const declaration = { ...preview.declaration, isTransformed: true, billingKind: "test_run" }
      yield* store.commitFinalize({
        preview: { ...ready, declaration, expiresAt: instant(1), reservedAt: instant(0) },
        billed: false
      })
      yield* assertStored(ready)
      yield* assertStored(other)
    }
  )

  it.effect("a finalize of an unknown preview is a conflict that writes nothing", function* () {
    const store = yield* PreviewStore
    const { account } = yield* newHome
    const preview = makePreview(account)
    yield* assertConflict(store.commitFinalize({ preview: finalized(preview), billed: true }))
    assert.isTrue(Option.isNone(yield* store.findByToken(preview.tokenHash)))
    assert.deepStrictEqual(yield* store.usage(account.id), [])
  })

  it.effect(
    "a second finalize of a preview is a conflict that neither moves its bytes nor bills it again",
    function* () {
      const store = yield* PreviewStore
      const { account } = yield* newHome
      const preview = finalized(yield* newPreview(account))
      yield* store.commitFinalize({ preview, billed: false })
      yield* assertConflict(store.commitFinalize({ preview: finalized(preview, instant(88), "2"), billed: true }))
      yield* assertStored(preview)
      assert.deepStrictEqual(yield* store.usage(account.id), [])
    }
  )

  it.effect("concurrent finalizes of different previews are all committed and billed", function* () {
    const store = yield* PreviewStore
    const { account } = yield* newHome
    const previews = yield* Effect.forEach(many, () => newPreview(account))
    yield* Effect.forEach(previews, (preview) => store.commitFinalize({ preview: finalized(preview), billed: true }), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(yield* store.usage(account.id), [{ month: "2026-05", billedTestRuns: many.length }])
  })

  assertWhole(it, previewCommits)
  assertOnce(it, previewCommits)

  it.effect("an account that finalized nothing has no usage", function* () {
    const { account } = yield* newHome
    yield* newPreview(account, { declaration: { ...makePreview(account).declaration, billingKind: "test_run" } })
    assert.deepStrictEqual(yield* (yield* PreviewStore).usage(account.id), [])
  })

  it.effect(
    "usage is counted by the UTC month of the finalize, latest month first, without empty months",
    function* () {
      const { account } = yield* newHome
      for (const at of [
        "2026-10-31T23:59:59.999Z",
        "2026-11-01T00:00:00.000Z",
        "2026-11-30T23:59:59.999Z",
        "2026-12-01T00:00:00.000Z",
        "2027-01-01T00:00:00.000Z",
        "2024-02-29T12:00:00.000Z",
        "2026-12-31T23:59:59.999Z",
        "2026-12-15T00:00:00.000Z",
        "2024-03-01T00:00:00.000Z"
      ]) {
        yield* newUsage(account, at)
      }
      assert.deepStrictEqual(yield* (yield* PreviewStore).usage(account.id), [
        { month: "2027-01", billedTestRuns: 1 },
        { month: "2026-12", billedTestRuns: 3 },
        { month: "2026-11", billedTestRuns: 2 },
        { month: "2026-10", billedTestRuns: 1 },
        { month: "2024-03", billedTestRuns: 1 },
        { month: "2024-02", billedTestRuns: 1 }
      ])
    }
  )

  it.effect("a preview uses the times that are given and not the engine's clock", function* () {
    const store = yield* PreviewStore
    const { account } = yield* newHome
    for (const at of epochs) {
      const preview = yield* newPreview(account, { reservedAt: at, expiresAt: after(at, -1) })
      const change = { preview: finalized(preview, after(at, -600_000)), billed: true }
      yield* store.commitFinalize(change)
      yield* assertStored(change.preview)
    }
    assert.deepStrictEqual(yield* store.usage(account.id), [
      { month: "2149-12", billedTestRuns: 1 },
      { month: "1999-12", billedTestRuns: 1 }
    ])
  })

  it.effect("usage counts only the account's own billed previews", function* () {
    const store = yield* PreviewStore
    const [{ account }, other] = [yield* newHome, yield* newHome]
    const at = "2026-11-11T11:11:11.111Z"
    yield* newUsage(account, at)
    yield* newUsage(account, at, false)
    yield* newUsage(other.account, at)
    yield* newUsage(other.account, at)
    assert.deepStrictEqual(yield* store.usage(account.id), [{ month: "2026-11", billedTestRuns: 1 }])
    assert.deepStrictEqual(yield* store.usage(other.account.id), [{ month: "2026-11", billedTestRuns: 2 }])
  })
}
