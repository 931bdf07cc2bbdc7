import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { readFileSync } from "node:fs"
import { AccountId } from "../model/Account.ts"
import { ShareId } from "../model/Preview.ts"
import type { Preview, PreviewDeclaration, PreviewStatus } from "../model/Preview.ts"
import { ReservationId } from "../model/Reservation.ts"
import { tableRows } from "../testing/tableRows.ts"
import { isBilled, onPreviewFinalize, previewObjects, previewStatus } from "./previews.ts"

const start = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const minutes = (n: number) => DateTime.addDuration(start, Duration.minutes(n))

const declaration: PreviewDeclaration = {
  contentHash: "a",
  bundleSizeBytes: 1,
  bundleContentType: "text/javascript",
  isTransformed: false,
  files: [],
  recordings: [],
  git: {}
}

const reserved = (more: Partial<PreviewDeclaration> = {}): Preview => ({
  id: ReservationId.make("1"),
  tokenHash: "token",
  accountId: AccountId.make("a"),
  reservedAt: start,
  expiresAt: minutes(60),
  shareId: ShareId.make("share"),
  declaration: { ...declaration, ...more }
})

describe("the table of the preview's life, as its docstring has it", () => {
  const rows = tableRows(readFileSync(new URL("./previews.ts", import.meta.url), "utf8"))

  it("has rows", () => assert.lengthOf(rows, 4))

  const ready = onPreviewFinalize(reserved(), { now: minutes(5), hostedPrefix: "hosted/1/" })
  const states: Record<string, { readonly preview: Preview | undefined; readonly now: DateTime.Utc }> = {
    none: { preview: undefined, now: start },
    uploading: { preview: reserved(), now: minutes(10) },
    ready: { preview: ready, now: minutes(10) }
  }
  const after = (
    trigger: string,
    preview: Preview | undefined,
    now: DateTime.Utc
  ): [Preview | undefined, DateTime.Utc] => {
    if (trigger === "reserve") return [reserved(), now]
    if (trigger === "time") return [preview, DateTime.addDuration(now, Duration.hours(2))]
    assert.strictEqual(trigger, "finalize")
    return [preview && onPreviewFinalize(preview, { now, hostedPrefix: "hosted/2/" }), now]
  }

  for (const [state = "", trigger = "", , next] of rows) {
    it(`${state} + ${trigger} → ${next}`, () => {
      const from = states[state]
      assert.isDefined(from, state)
      if (from === undefined) return
      if (from.preview !== undefined) assert.strictEqual(previewStatus(from.preview, from.now), state)
      const [preview, now] = after(trigger, from.preview, from.now)
      assert.isDefined(preview)
      if (preview === undefined) return
      assert.strictEqual(previewStatus(preview, now), next)
      if (from.preview !== undefined) assert.strictEqual(preview.shareId, from.preview.shareId)
    })
  }
})

describe("previews", () => {
  it("the instant at which a reservation ends is too late", () => {
    assert.strictEqual(previewStatus(reserved(), minutes(59)), "uploading" satisfies PreviewStatus)
    assert.strictEqual(previewStatus(reserved(), minutes(60)), "expired" satisfies PreviewStatus)
  })

  it("finalizing says when and where, and changes nothing else", () => {
    const before = reserved({ entry: "index.js" })
    const after = onPreviewFinalize(before, { now: minutes(5), hostedPrefix: "hosted/1/" })
    assert.deepStrictEqual(after, { ...before, finalizedAt: minutes(5), hostedPrefix: "hosted/1/" })
    assert.isUndefined(before.finalizedAt)
  })

  it("expect the bundle, then the files, then the recordings, in the order declared", () => {
    const file = { path: "a/b.css", sizeBytes: 2, contentType: "text/css", contentHash: "f" }
    const recording = { name: "Home", kind: "screenshot", sizeBytes: 3, contentType: "image/png" } as const
    const recordings = [recording, { ...recording, contentHash: "r", startedAtMs: 1, durationMs: 2 }]
    assert.deepStrictEqual(previewObjects({ ...declaration, files: [file], recordings }), [
      { name: "bundle", sizeBytes: 1, contentType: "text/javascript", contentHash: "a" },
      { name: "files/0", ...file },
      { name: "recordings/0", sizeBytes: 3, contentType: "image/png" },
      { name: "recordings/1", sizeBytes: 3, contentType: "image/png", contentHash: "r" }
    ])
  })

  it("are billed as test runs when they say exactly so", () => {
    assert.isTrue(isBilled(reserved({ billingKind: "test_run" })))
    assert.isFalse(isBilled(reserved()))
    for (const billingKind of ["", "Test_Run", "test_run ", "test-run", "demo"]) {
      assert.isFalse(isBilled(reserved({ billingKind })), billingKind)
    }
  })
})
